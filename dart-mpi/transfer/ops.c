/* The table of far operations. */
#include "progress/engine.h"
#include "transfer/far_bytes.h"
#include "transfer/rma.h"

static const dart__far_ops_t ops = { .put                = dart__far_put,
                                     .get                = dart__far_get,
                                     .put_blocking       = dart__far_put_blocking,
                                     .get_blocking       = dart__far_get_blocking,
                                     .put_bytes          = dart__far_put_bytes,
                                     .get_bytes          = dart__far_get_bytes,
                                     .put_bytes_blocking = dart__far_put_bytes_blocking,
                                     .get_bytes_blocking = dart__far_get_bytes_blocking,
                                     .accumulate         = dart__far_accumulate,
                                     .updates            = dart__far_updates,
                                     .fetch              = dart__far_fetch,
                                     .fetch_elements     = dart__far_fetch_elements,
                                     .swap               = dart__far_swap,
                                     .put_notify         = dart__far_put_notify,
                                     .get_notify         = dart__far_get_notify,
                                     .call               = dart__far_call,
                                     .flush              = dart__far_flush,
                                     .flush_all          = dart__far_flush_all,
                                     .flush_local        = dart__far_flush_local,
                                     .flush_local_all    = dart__far_flush_local_all,
                                     .order              = dart__far_order,
                                     .mark               = dart__far_mark,
                                     .ask_to             = dart__far_ask_to,
                                     .settle_to          = dart__far_settle_to,
                                     .test_to            = dart__far_test_to,
                                     .settle             = dart__far_settle,
                                     .wait               = dart__far_wait,
                                     .test               = dart__far_test,
                                     .release            = dart__far_release,
                                     .handle_new         = dart__far_handle_new,
                                     .handle_mark        = dart__far_handle_mark,
                                     .progress           = dart__engine_poke,
                                     .look               = dart__engine_look,
                                     .push               = dart__engine_push,
                                     .requests = { dart__engine_hold, dart__engine_release } };

const dart__far_ops_t *const dart__far = &ops;
