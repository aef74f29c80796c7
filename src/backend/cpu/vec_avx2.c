#define LANES 4
#define VEC_NAME "avx2"
#define VEC_TABLE sri_vec_avx2
#include "backend/cpu/vec_body.h"
