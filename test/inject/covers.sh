# shellcheck shell=bash
# covers.sh SOURCE BUILD: the tested program calls every function of the interface, every call of MPI in the
# library goes by the macros that the injector replaces, and so does all else in it that can fail.
[[ ${1-} != --help ]] || { sed -n '/^#!/d; /^# shellcheck/d; /^#/!q; s/^# \{0,1\}//p' "$0"; exit; }
top=$1 build=$2
wrong=0

functions=$(grep -ohE '\bdart_[a-z0-9_]+\(|\bdart__io[a-z0-9_]+\(' \
  "$top"/dart-if/include/dash/dart/{if,ext}/*.h | sort -u | tr -d '(')
for function in $functions; do
  case $function in
    dart_abort | dart_create_*_unit | dart_*_unit) continue ;; # the end, and names of types
    dart_inline_*) continue ;; # they load and store, or call a function of the library
    dart__layer_*) continue ;; # called by layers between a program and the library alone; none can fail
  esac
  grep -qE "\b$function\(" "$top"/test/inject/*.c || {
    echo "FAILED: nobody calls $function"
    wrong=1
  }
done

# What MPI is asked at the very end, or when something has failed already, is not made to fail.
plain=$(grep -rnE --include='*.[ch]' '\bMPI_[A-Z][A-Za-z_]*\(' "$top"/dart-mpi |
  grep -vE '/(start/finalize|mpi/call)\.c:|^[^:]*:[0-9]*: *(/\*|\*)|/\*.*MPI_|MPI_Abort|MPI_Finalize|MPI_Finalized\(&finalized\)|MPI_Initialized\(&running\)|MPI_T_')
[ -z "$plain" ] || {
  printf 'FAILED: calls that cannot be made to fail:\n%s\n' "$plain"
  wrong=1
}

# Functions of other libraries that cannot fail with valid arguments, give something back, or speak to nobody who
# could help (inject.h); or that print to a file whose state is looked at in the end (job/stats_report.c). hwloc's header
# calls hwloc_bitmap_set: a processor for which there is no memory counts as one that may not be used.
harmless="
  ferror fprintf fputc fwrite
  _Exit _exit exit raise alarm getenv unsetenv getpid getuid rand_r uname sysconf clock_gettime sched_yield
  sigaction sigaddset sigdelset sigemptyset sigfillset pthread_sigmask munmap shm_unlink
  closedir fclose fflush write read poll
  backtrace dladdr dup2 execvp kill open pipe2 sigaltstack strsignal vfork waitpid
  pthread_detach pthread_join pthread_once
  pthread_cond_destroy pthread_cond_init pthread_cond_signal pthread_cond_wait
  pthread_mutex_clocklock pthread_mutex_destroy pthread_mutex_init pthread_mutex_lock pthread_mutex_trylock
  pthread_mutex_unlock
  pthread_rwlock_destroy pthread_rwlock_init pthread_rwlock_rdlock pthread_rwlock_unlock pthread_rwlock_wrlock
  memchr memcmp memcpy memmove memset qsort snprintf vsnprintf sscanf strcasecmp strchr strcmp strcspn strerror strlen
  strncasecmp strncmp strnlen strrchr strspn strstr strtod strtol strtoul strtoull tdelete tdestroy
  environ program_invocation_name program_invocation_short_name
  hwloc_bitmap_fill hwloc_bitmap_first hwloc_bitmap_free hwloc_bitmap_intersects hwloc_bitmap_isincluded
  hwloc_bitmap_isset hwloc_bitmap_iszero hwloc_bitmap_set hwloc_bitmap_weight hwloc_bitmap_zero
  hwloc_get_nbobjs_by_depth
  hwloc_get_obj_by_depth hwloc_get_type_depth hwloc_obj_type_is_cache hwloc_obj_type_is_dcache
  hwloc_topology_destroy hwloc_topology_is_thissystem hwloc_topology_set_flags
  H5Pset_fapl_mpio"
for library in "$build"/dart-base/libdart-core-archive.a "$build"/dart-{shmem,mpi}/libdart-*.a; do
  [ -f "$library" ] || continue
  for name in $(nm -u "$library" | sed -n 's/^ *U \([A-Za-z].*\|_[Ee]xit\|__isoc99_sscanf\)$/\1/p' | sort -u); do
    name=${name#__isoc99_}
    case $name in dart_* | pdart_* | MPI_* | *TABLE_) continue ;; esac
    case " $(echo $harmless) " in *" $name "*) continue ;; esac
    grep -qE "^#define $name(\(| +dart__inject_)" "$top/test/inject/inject.h" || {
      echo "FAILED: $(basename "$library") calls $name, which is no point, and not known to be harmless"
      wrong=1
    }
  done
done
exit $wrong
