/* The tables of inner loops for one instruction set, see vec.h. */
#ifndef SRI_BACKEND_CPU_VEC_TABLE_H
#define SRI_BACKEND_CPU_VEC_TABLE_H

#include "backend/cpu/band_vec.h"
#include "backend/cpu/factor_vec.h"
#include "backend/square.h"
#include "backend/slab.h"
#include "backend/vec.h"

/* The name of a table for INSTRUCTIONS, and that word as a text. */
#define VEC_GLUE_(table, set) table##_##set
#define VEC_GLUE(table, set) VEC_GLUE_(table, set)
#define VEC_TABLE(table) VEC_GLUE(table, INSTRUCTIONS)
#define VEC_TEXT_(set) #set
#define VEC_TEXT(set) VEC_TEXT_(set)
#define VEC_NAME VEC_TEXT(INSTRUCTIONS)

extern const sri_band_vec sri_band_vec_plain, sri_band_vec_avx2, sri_band_vec_avx512;
extern const sri_factor_vec sri_factor_vec_plain, sri_factor_vec_avx2, sri_factor_vec_avx512;
extern const sri_square_vec sri_square_vec_plain, sri_square_vec_avx2, sri_square_vec_avx512;
extern const sri_slab_vec sri_slab_vec_plain, sri_slab_vec_avx2, sri_slab_vec_avx512;

/* In files that are compiled without -ffast-math: it depends on rounding. */
void sri_exp_linear_plain(double *v, int64_t n, double c);
void sri_exp_linear_avx2(double *v, int64_t n, double c);
void sri_exp_linear_avx512(double *v, int64_t n, double c);

#endif
