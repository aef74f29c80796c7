#define LANES 8
#define BAND_TABLE sri_band_vec_avx512
#include "backend/cpu/band_vec_body.h"
