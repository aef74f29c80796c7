#define LANES 8
#define INSTRUCTIONS avx512
#include "backend/cpu/band_vec_body.h"
