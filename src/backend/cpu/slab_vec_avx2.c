#define LANES 4
#define INSTRUCTIONS avx2
#include "backend/cpu/slab_vec_body.h"
