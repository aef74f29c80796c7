// The header as C++ sees it: the library that runs is the one the header belongs to.
#include <specreg/specreg.h>

#include <cstring>

int main()
{
    specreg_context *ctx = nullptr;
    const bool ok = specreg_context_new(&ctx) == SPECREG_OK &&
                    std::strcmp(specreg_version(), SPECREG_VERSION) == 0;
    specreg_context_free(ctx);
    return ok ? 0 : 1;
}
