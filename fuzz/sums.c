/* A sums file of arbitrary content, with its checksum made right: it is refused with a text, or
 * tells what is in it, joins with itself or refuses to, and gives a model or none. */
#include "use.h"

#include "core/digest.h"

typedef struct walk {
    const uint8_t *at, *end;
    sri_digest digest;
} walk;

/* The next piece, which the checksum goes on from; 0: there is not as much. */
static int step(walk *w, uint64_t size)
{
    if (size > (uint64_t)(w->end - w->at))
        return 0;
    sri_digest_add(&w->digest, w->at, (size_t)size);
    w->at += size;
    return 1;
}

/* A number, at most `most`; -1: there is none. */
static int64_t number(walk *w, int64_t most)
{
    int64_t value;
    if (!step(w, sizeof value))
        return -1;
    memcpy(&value, w->at - sizeof value, sizeof value);
    return value >= 0 && value <= most ? value : -1;
}

static int step_piece(walk *w)
{
    const int64_t size = number(w, w->end - w->at);
    return size >= 0 && step(w, (uint64_t)size);
}

static int step_sums(walk *w)
{
    const int64_t r = number(w, 1000), l = number(w, 1000), T = number(w, 1000);
    const int64_t parts = number(w, 1000), order = r + l + T;
    const uint64_t bytes = (uint64_t)(parts * (order * (order + 1) / 2) * 8);
    if (r < 0 || l < 0 || T < 0 || parts < 0)
        return 0;
    for (int64_t j = 0; j < order; j++)
        if (!step(w, 8))
            return 0;
    return step(w, (uint64_t)parts * 8) && step(w, bytes) && step(w, bytes);
}

/* Puts the checksum where the reader will look for it. */
static void mend(uint8_t *data, size_t size)
{
    if (size < sizeof(sri_digest))
        return;
    walk w = {data, data + size - sizeof(sri_digest), {{0, 0}}};
    if (!step(&w, 8) || !step(&w, 8) || !step(&w, 8))
        return;
    if (!step_piece(&w) || !step_piece(&w) || !step_piece(&w))
        return;
    const int64_t kernels = number(&w, 100), blocks = number(&w, 10000);
    if (kernels < 0 || blocks < 0 || !step(&w, (uint64_t)blocks * sizeof(sri_digest)))
        return;
    for (int64_t k = 0; k < kernels; k++)
        if (!step_sums(&w))
            return;
    memcpy(data + (w.at - data), &w.digest, sizeof w.digest);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    uint8_t *bytes = malloc(size + !size);
    if (!bytes)
        abort();
    memcpy(bytes, data, size);
    mend(bytes, size);
    specreg_context *ctx = fuzz_context();
    specreg_options *o = fuzz_options(ctx);
    specreg_sums_facts facts = {sizeof facts, 0, 0, 0, 0, 0, 0};
    specreg_model *m = NULL;
    fuzz_file file = fuzz_file_new(bytes, size), joined = fuzz_file_new(bytes, 0);
    const char *const both[] = {file.path, file.path};
    if (specreg_sums_info(ctx, file.path, &facts) != SPECREG_OK)
        fuzz_refused(ctx, SPECREG_E_FORMAT);
    else if (facts.rows < 0 || facts.kernels < 1 || facts.centres < 1)
        abort();
    if (specreg_sums_merge(ctx, both, 2, joined.path) != SPECREG_OK)
        fuzz_refused(ctx, SPECREG_E_FORMAT);
    if (specreg_sums_subtract(ctx, file.path, file.path, joined.path) != SPECREG_OK)
        fuzz_refused(ctx, SPECREG_E_FORMAT);
    if (specreg_fit_sums(ctx, file.path, o, &m) != SPECREG_OK)
        fuzz_refused(ctx, SPECREG_E_FORMAT);
    specreg_model_free(m);
    close(joined.fd);
    close(file.fd);
    specreg_options_free(o);
    specreg_context_free(ctx);
    free(bytes);
    return 0;
}
