#define LANES 2
#define INSTRUCTIONS plain
#include "backend/cpu/band_vec_body.h"
