/* Failures on demand.  Test programs in tests/fault are linked so that every call that the
 * library's own objects make to the functions below passes through here first:
 *
 *     for (int64_t k = 0;; k++) {
 *         kit_fail_allocation(k);                 // the k-th from now fails, 0 is the next
 *         st = specreg_fit(ctx, table, o, &model);
 *         const bool failed = kit_disarm();
 *         specreg_model_free(model);
 *         CHECK_EQ(kit_live_allocations(), 0);
 *         if (!failed)
 *             break;                              // k is past the last one
 *         CHECK_EQ(st, SPECREG_E_NOMEM);
 *     }
 *
 * Only one call fails; those after it succeed again.  All threads are counted together.  The test's
 * own calls are counted too: prepare before arming.  Calls that other libraries make inside
 * themselves (OpenBLAS, stdio, and jansson unless asked) are not touched. */
#ifndef KIT_FAULT_H
#define KIT_FAULT_H

#include <stdbool.h>
#include <stdint.h>

/* malloc, calloc, realloc, aligned_alloc, posix_memalign: NULL (ENOMEM).  -1 disarms. */
void kit_fail_allocation(int64_t k);
/* mkstemp, write, fwrite, fflush, fsync, rename: the value that means failure (ENOSPC). */
void kit_fail_write(int64_t k);
/* read, fread: the value that means failure (EIO). */
void kit_fail_read(int64_t k);
/* Ends all of these; true when one has fired since it was armed. */
bool kit_disarm(void);

/* Blocks that the library's objects allocated since the last kit_fail_allocation(k >= 0), while it
 * was armed, and that nobody has freed since. */
int64_t kit_live_allocations(void);
/* Calls counted since the last arming, to see that a loop tested what it should. */
int64_t kit_calls(void);
/* From here on jansson's allocations pass through here as well. */
void kit_count_jansson(void);

#endif
