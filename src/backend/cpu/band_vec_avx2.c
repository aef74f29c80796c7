#define LANES 4
#define INSTRUCTIONS avx2
#include "backend/cpu/band_vec_body.h"
