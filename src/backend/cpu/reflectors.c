#include "backend/cpu/reflectors.h"

#include <cblas.h>
#include <string.h>

/* Column by column: T_jj = tau_j, above it -tau_j T (U'u_j). */
void sri_reflectors_T(int64_t k, const double *tau, double *T)
{
    for (int64_t j = 0; j < k; j++) {
        double *column = T + j * k;
        cblas_dscal((int)j, -tau[j], column, 1);
        cblas_dtrmv(CblasColMajor, CblasUpper, CblasNoTrans, CblasNonUnit, (int)j, T, (int)k, column,
                    1);
        column[j] = tau[j];
        memset(column + j + 1, 0, (size_t)(k - j - 1) * sizeof *T);
    }
}
