#define LANES 4
#define INSTRUCTIONS avx2
#include "backend/cpu/factor_vec_body.h"
