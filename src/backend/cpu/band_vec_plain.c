#define LANES 2
#define BAND_TABLE sri_band_vec_plain
#include "backend/cpu/band_vec_body.h"
