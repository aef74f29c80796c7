#define LANES 2
#define INSTRUCTIONS plain
#include "backend/cpu/strict_vec_body.h"
