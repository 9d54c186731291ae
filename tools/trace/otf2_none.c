/* For a build without the OTF2 library. */
#include "trace.h"

const trace_form_t trace_otf2 = { "otf2", "otf2/trace.otf2", NULL };
