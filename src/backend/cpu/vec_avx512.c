#define LANES 8
#define INSTRUCTIONS avx512
#include "backend/cpu/vec_body.h"
