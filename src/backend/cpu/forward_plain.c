#define LANES 2
#define FORWARD_TABLE sri_forward_plain
#include "backend/cpu/forward_body.h"
