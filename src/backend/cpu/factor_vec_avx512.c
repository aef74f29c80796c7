#define LANES 8
#define FACTOR_TABLE sri_factor_vec_avx512
#include "backend/cpu/factor_vec_body.h"
