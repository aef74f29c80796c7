#define LANES 4
#define INSTRUCTIONS avx2
#include "backend/cpu/strict_vec_body.h"
