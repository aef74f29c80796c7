/* A digest of several pieces, to see whether data and options are those of another time.  Every
 * piece is hashed by itself (XXH3, 128 bits) and the digest goes on from one to the next, so that
 * order and borders count ("ab", "c" is not "a", "bc"), and nothing is allocated.  Begins as {0}.
 */
#ifndef SRI_CORE_DIGEST_H
#define SRI_CORE_DIGEST_H

#include <stddef.h>
#include <stdint.h>

typedef struct sri_digest {
    uint64_t word[2];
} sri_digest;

void sri_digest_add(sri_digest *d, const void *data, size_t size);
void sri_digest_text(sri_digest *d, const char *text);
/* A hash of some bytes and a seed: XXH3, 64 bits. */
uint64_t sri_hash(const void *data, size_t size, uint64_t seed);

#endif
