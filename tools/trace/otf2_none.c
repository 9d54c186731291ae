/* Built without the library of OTF2. */
#include "trace.h"

const trace_form_t trace_otf2 = { "otf2", NULL };
