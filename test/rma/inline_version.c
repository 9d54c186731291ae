/* A program compiled with another version of dart_inline.h: dart_init refuses it, and again. */
#include <dash/dart/ext/dart_inline.h>
#include <dash/dart/if/dart.h>

/* What a file compiled with the next version would do. */
__attribute__((constructor)) static void from_the_future(void)
{
  dart_inline_require(DART_INLINE_VERSION + 1, sizeof(dart_inline_map_t) + 8);
}

int main(int argc, char **argv)
{
  dart_thread_support_level_t level;

  if (dart_init(&argc, &argv) != DART_ERR_OTHER || dart_initialized())
    return 1;
  return dart_init_thread(&argc, &argv, &level) != DART_ERR_OTHER || dart_initialized();
}
