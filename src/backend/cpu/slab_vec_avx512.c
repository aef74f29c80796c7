#define LANES 8
#define INSTRUCTIONS avx512
#include "backend/cpu/slab_vec_body.h"
