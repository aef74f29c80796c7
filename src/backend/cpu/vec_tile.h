/* Products with a tile of a symmetric matrix and with its transpose; included once for float and
 * once for double.  The including file defines REAL, its lanes in a register (REAL_LANES), the
 * name of the function (TILE_FUNCTION), and after how many rows sums are added to doubles (RUN).
 *
 * The lanes of a register lie along a row.  Sums down the columns stay in registers; sums along
 * the rows are reduced across lanes for as many rows at once as there are lanes.  While a tile
 * is in use the next one is prefetched as a whole: the processor's own prefetcher does not
 * follow its rows. */
#define GLUE_(a, b) a##_##b
#define GLUE(a, b) GLUE_(a, b)
#define OWN(name) GLUE(name, TILE_FUNCTION)

typedef REAL OWN(vr) __attribute__((vector_size(LANES * 8), aligned(sizeof(REAL)), may_alias));
typedef double OWN(vw) __attribute__((vector_size(REAL_LANES * 8), aligned(8), may_alias));

/* Lane r of the result is the sum over the lanes of register r. */
static inline __attribute__((always_inline)) OWN(vr) OWN(sum_lanes)(OWN(vr) * a)
{
#define HALVE(count, even, odd)                                              \
    for (int i = 0; i < (count); i++)                                        \
    a[i] = __builtin_shufflevector(a[2 * i], a[2 * i + 1], TILE_LIST even) + \
           __builtin_shufflevector(a[2 * i], a[2 * i + 1], TILE_LIST odd)
#define TILE_LIST(...) __VA_ARGS__
#if REAL_LANES == 16
    HALVE(8, (0, 16, 2, 18, 4, 20, 6, 22, 8, 24, 10, 26, 12, 28, 14, 30),
          (1, 17, 3, 19, 5, 21, 7, 23, 9, 25, 11, 27, 13, 29, 15, 31));
    HALVE(4, (0, 1, 16, 17, 4, 5, 20, 21, 8, 9, 24, 25, 12, 13, 28, 29),
          (2, 3, 18, 19, 6, 7, 22, 23, 10, 11, 26, 27, 14, 15, 30, 31));
    HALVE(2, (0, 1, 2, 3, 16, 17, 18, 19, 8, 9, 10, 11, 24, 25, 26, 27),
          (4, 5, 6, 7, 20, 21, 22, 23, 12, 13, 14, 15, 28, 29, 30, 31));
    HALVE(1, (0, 1, 2, 3, 4, 5, 6, 7, 16, 17, 18, 19, 20, 21, 22, 23),
          (8, 9, 10, 11, 12, 13, 14, 15, 24, 25, 26, 27, 28, 29, 30, 31));
#elif REAL_LANES == 8
    HALVE(4, (0, 8, 2, 10, 4, 12, 6, 14), (1, 9, 3, 11, 5, 13, 7, 15));
    HALVE(2, (0, 1, 8, 9, 4, 5, 12, 13), (2, 3, 10, 11, 6, 7, 14, 15));
    HALVE(1, (0, 1, 2, 3, 8, 9, 10, 11), (4, 5, 6, 7, 12, 13, 14, 15));
#elif REAL_LANES == 4
    HALVE(2, (0, 4, 2, 6), (1, 5, 3, 7));
    HALVE(1, (0, 1, 4, 5), (2, 3, 6, 7));
#else
    HALVE(1, (0, 2), (1, 3));
#endif
#undef TILE_LIST
#undef HALVE
    return a[0];
}

/* `strips` registers of each row from column `at` on, `count` columns of X and Y: `strips` and
 * `count` are known to the compiler. */
static inline __attribute__((always_inline)) void
OWN(strips_of)(const int count, const int strips, const int at, const REAL *K, const REAL *next,
               const REAL *const *Xi, const REAL *const *Xj, double *const *Yi, double *const *Yj)
{
    enum { WIDE = REAL_LANES };
    const REAL *xi[TILE_COLUMNS], *xj[TILE_COLUMNS];
    for (int c = 0; c < count; c++) {
        xi[c] = Xi[c];
        xj[c] = Xj[c] + at;
    }
    K += at;
    for (int first = 0; first < SRI_PANEL; first += RUN) {
        OWN(vr) down[TILE_COLUMNS][4];
        for (int c = 0; c < count; c++)
            for (int q = 0; q < strips; q++)
                down[c][q] = (OWN(vr)){0};
        for (int r = first; r < first + RUN; r += WIDE) {
            OWN(vr) across[TILE_COLUMNS][WIDE];
            for (int g = 0; g < WIDE; g++) {
                OWN(vr) k[4];
                for (int q = 0; q < strips; q++) {
                    k[q] = *(const OWN(vr) *)(K + (r + g) * SRI_PANEL + q * WIDE);
                    __builtin_prefetch(next + ((r + g) * strips + q) * WIDE, 0, 2);
                }
                for (int c = 0; c < count; c++) {
                    const REAL along = xi[c][r + g];
                    OWN(vr) sum = k[0] * *(const OWN(vr) *)xj[c];
                    for (int q = 1; q < strips; q++)
                        sum += k[q] * *(const OWN(vr) *)(xj[c] + q * WIDE);
                    for (int q = 0; q < strips; q++)
                        down[c][q] += k[q] * along;
                    across[c][g] = sum;
                }
            }
            for (int c = 0; c < count; c++)
                *(OWN(vw) *)(Yi[c] + r) +=
                    __builtin_convertvector(OWN(sum_lanes)(across[c]), OWN(vw));
        }
        for (int c = 0; Yj && c < count; c++)
            for (int q = 0; q < strips; q++)
                *(OWN(vw) *)(Yj[c] + at + q * WIDE) += __builtin_convertvector(down[c][q], OWN(vw));
    }
}

/* The columns in groups of nearly the same size; the tile is in the cache from the second group
 * on. */
static void TILE_FUNCTION(const REAL *K, int count, const REAL *const *Xi, const REAL *const *Xj,
                          double *const *Yi, double *const *Yj)
{
#define TILE_CASE(columns, strips)                                                  \
    case columns:                                                                   \
        for (int j = 0; j < SRI_PANEL; j += (strips)*REAL_LANES)                    \
            OWN(strips_of)(columns, strips, j, K, next + j * step, Xi, Xj, Yi, Yj); \
        break
    for (int groups = (count + TILE_COLUMNS - 1) / TILE_COLUMNS, left = count; groups > 0;
         groups--) {
        const int columns = (left + groups - 1) / groups;
        const bool last = groups == 1;
        const REAL *next = last ? K + SRI_PANEL * SRI_PANEL : K;
        const int step = last ? SRI_PANEL : 0;
        switch (columns) {
            TILE_CASE(1, TILE_STRIPS_FEW);
            TILE_CASE(2, TILE_STRIPS_FEW);
            TILE_CASE(3, TILE_STRIPS);
            TILE_CASE(4, TILE_STRIPS);
            TILE_CASE(5, TILE_STRIPS);
        }
        Xi += columns;
        Xj += columns;
        Yi += columns;
        Yj = Yj ? Yj + columns : NULL;
        left -= columns;
    }
#undef TILE_CASE
}

#undef OWN
#undef GLUE
#undef GLUE_
#undef REAL
#undef REAL_LANES
#undef TILE_FUNCTION
#undef RUN
