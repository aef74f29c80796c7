#define LANES 4
#define BAND_TABLE sri_band_vec_avx2
#include "backend/cpu/band_vec_body.h"
