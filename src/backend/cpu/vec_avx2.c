#define LANES 4
#define INSTRUCTIONS avx2
#include "backend/cpu/vec_body.h"
