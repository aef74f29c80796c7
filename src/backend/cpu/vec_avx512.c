#define LANES 8
#define VEC_NAME "avx512"
#define VEC_TABLE sri_vec_avx512
#include "backend/cpu/vec_body.h"
