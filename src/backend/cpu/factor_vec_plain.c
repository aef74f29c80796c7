#define LANES 2
#define INSTRUCTIONS plain
#include "backend/cpu/factor_vec_body.h"
