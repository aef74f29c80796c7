#define LANES 2
#define INSTRUCTIONS plain
#include "backend/cpu/vec_body.h"
