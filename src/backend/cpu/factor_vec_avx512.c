#define LANES 8
#define INSTRUCTIONS avx512
#include "backend/cpu/factor_vec_body.h"
