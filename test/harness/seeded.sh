# seeded.sh COMMAND...: runs a command on a simulated network whose delays are of a new seed, or of that in DART_TEST_SEED.
# The seed is printed, so that a failure can be repeated.
[[ ${1-} != --help ]] || { sed -n '/^#!/d; /^#/!q; s/^# \{0,1\}//p' "$0"; exit; }
seed=${DART_TEST_SEED:-${SRANDOM:-$RANDOM}}
echo "DART_TEST_SEED=$seed"
export DART_NET="$DART_NET,seed=$seed"
exec "$@"
