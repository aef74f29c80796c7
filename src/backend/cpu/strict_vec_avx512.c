#define LANES 8
#define INSTRUCTIONS avx512
#include "backend/cpu/strict_vec_body.h"
