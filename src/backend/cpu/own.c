/* The default backend: algorithms of this library where they are faster than LAPACK's, which they
 * share between threads better, and LAPACK's own for the rest. */
#include "backend/cpu/own.h"

#include "backend/cpu/band_vec.h"
#include "backend/cpu/lapack.h"
#include "backend/vec.h"

static const sri_substitution *substitution(void)
{
    return &sri_vec_best()->band->substitution;
}

const sri_backend sri_backend_own = {
    .name = "own",
    .product = sri_own_product,
    .add_square = sri_own_add_square,
    .cholesky = sri_own_cholesky,
    .cholesky_solve = sri_lapack_cholesky_solve,
    .cholesky_inverse_diagonal = sri_own_cholesky_inverse_diagonal,
    .cholesky_invert = sri_lapack_cholesky_invert,
    .orthonormal = sri_lapack_orthonormal,
    .solve = sri_lapack_solve,
    .eigen = sri_own_eigen,
    .tridiagonal = sri_lapack_tridiagonal,
    .band_reduce = sri_own_band_reduce,
    .band_form = sri_own_band_form,
    .band_rotate = sri_lapack_band_rotate,
    .substitution = substitution,
};
