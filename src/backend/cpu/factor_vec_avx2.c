#define LANES 4
#define FACTOR_TABLE sri_factor_vec_avx2
#include "backend/cpu/factor_vec_body.h"
