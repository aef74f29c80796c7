#include "core/digest.h"

#include <string.h>
#include <xxhash.h>

/* d = h(d, h(piece)); the two hashes are put together as numbers of this machine's byte order, for
 * a digest is only ever compared with one of the same machine. */
void sri_digest_add(sri_digest *d, const void *data, size_t size)
{
    const XXH128_hash_t piece = XXH3_128bits(data, size);
    const uint64_t pair[4] = {d->word[0], d->word[1], piece.low64, piece.high64};
    const XXH128_hash_t both = XXH3_128bits(pair, sizeof pair);
    *d = (sri_digest){{both.low64, both.high64}};
}

void sri_digest_text(sri_digest *d, const char *text)
{
    sri_digest_add(d, text, strlen(text));
}

uint64_t sri_hash(const void *data, size_t size, uint64_t seed)
{
    return XXH3_64bits_withSeed(data, size, seed);
}
