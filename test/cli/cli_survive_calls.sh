# Each call of test/survive, in which a unit dies, in builds without assertions: others verify fences by collectives, which
# would see the loss before the fence does (cli_survive.sh).
source "$(dirname "$0")/survive.bash"
export DART_LOG_LEVEL=WARN

for call in $("$program" list); do
  also outlive "$call" in 4 1 --nodes 2
  [[ $call != epoch_* ]] || also outlive "$call" in 3 2 --nodes 3
  ((${#beside[@]} < 8)) || together
done
together
finish
