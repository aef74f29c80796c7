#define LANES 2
#define FACTOR_TABLE sri_factor_vec_plain
#include "backend/cpu/factor_vec_body.h"
