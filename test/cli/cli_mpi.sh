# dartrun of dart-mpi: its command line, and what mpiexec makes of it.
source "$(dirname "$0")/cli.bash"

dartrun=$build/dart-mpi/dartrun
unit=$build/test/cli_unit
need "$dartrun" "$unit" "$build/test/mpi-program" "$build/test/dart-test-mpi"

# Bad input is one line that names the value, and exit code 2.
run "$dartrun" --no-such-option;                 expect_code 2; expect_line "*--no-such-option*"
run "$dartrun" "$unit";                          expect_code 2; expect_line "dartrun: *-n*"
run "$dartrun" -n 2;                             expect_code 2; expect_line "dartrun: *program*"
for n in 0 -1 2x ''; do
  run "$dartrun" -n "$n" "$unit";                expect_code 2; expect_line "dartrun: -n '$n'*"
done
for nodes in 0 4 2x ''; do # wherever -n stands
  run "$dartrun" --nodes "$nodes" -n 3 "$unit"
  expect_code 2; expect_line "dartrun: --nodes '$nodes'*3"
  run "$dartrun" -n 3 --nodes "$nodes" "$unit"
  expect_code 2; expect_line "dartrun: --nodes '$nodes'*3"
done
# More units than there can be processes, or descriptors of mpiexec.
run "$dartrun" -n 100000000 "$unit";             expect_code 2; expect_line "dartrun: -n 100000000: *kernel.pid_max)"
run bash -c 'ulimit -n 64; exec "$@"' bash "$dartrun" -n 65 "$unit"
expect_code 2; expect_line "dartrun: -n 65: *at most 64 (ulimit -n)"
run "$dartrun" --help; expect_code 0; [[ $out == *--nodes* ]] || fail "help: $out"
run "$dartrun" --version; expect_code 0; [[ $out == dartrun*.* ]] || fail "version: $out"

# What cannot be started is named once.
run "$dartrun" -n 3 "$work/none";                expect_code 127
expect_line "dartrun: cannot start $work/none: No such file or directory"
run env DART_MPIEXEC="$work/none" "$dartrun" -n 3 "$unit"; expect_code 127
expect_line "dartrun: cannot start $work/none: No such file or directory"

# The words mpiexec gets, and the environment: nodes are set when asked for, and only then.
cat >"$work/mpiexec" <<'END'
#!/bin/sh
echo "${MPIR_CVAR_NUM_CLIQUES--} ${DART_NODES--}"; printf '<%s>' "$@"
END
chmod +x "$work/mpiexec"
export DART_MPIEXEC=$work/mpiexec
unset MPIR_CVAR_NUM_CLIQUES DART_NODES
run "$dartrun" -n 3 "$unit" 'a b' -n '' --nodes
expect_out "- -"$'\n'"<-n><3><$unit><a b><-n><><--nodes>"
run "$dartrun" --bind -n 3 "$unit";              expect_out "- -"$'\n'"<-bind-to><core><-n><3><$unit>"
run "$dartrun" --bind=package -n 3 "$unit"
expect_out "- -"$'\n'"<-bind-to><socket><-n><3><$unit>"
run env DART_BIND=numa "$dartrun" -n 3 "$unit";  expect_out "- -"$'\n'"<-bind-to><numa><-n><3><$unit>"
run env DART_BIND=cpu "$dartrun" --bind=none -n 3 "$unit"; expect_out "- -"$'\n'"<-n><3><$unit>"
run "$dartrun" -np 3 -bind=core "$unit";         expect_out "- -"$'\n'"<-bind-to><core><-n><3><$unit>"
run "$dartrun" --bind=l2 -n 3 "$unit";           expect_code 2; expect_line "dartrun: --bind 'l2'*"
run "$dartrun" --nodes 2 -n 3 -- "$unit";        expect_out "2 2"$'\n'"<-n><3><$unit>"
export MPIR_CVAR_NUM_CLIQUES=2
run "$dartrun" --nodes 1 -n 3 "$unit";           expect_out "1 1"$'\n'"<-n><3><$unit>"
# What Open MPI needs: more units than it counts slots, none bound unless somebody asks for it.
cat >"$work/mpiexec" <<'END'
#!/bin/sh
echo "$OMPI_MCA_rmaps_base_oversubscribe $OMPI_MCA_hwloc_base_binding_policy"
END
unset OMPI_MCA_rmaps_base_oversubscribe OMPI_MCA_hwloc_base_binding_policy
run "$dartrun" -n 3 "$unit";                     expect_out "1 none"
run env OMPI_MCA_rmaps_base_oversubscribe=0 OMPI_MCA_hwloc_base_binding_policy=core "$dartrun" -n 3 "$unit"
expect_out "0 core"

# Lines of Hydra about the end of a program are left out, if dartrun knows more; what looks nearly like them is not.
cat >"$work/mpiexec" <<'END'
#!/bin/sh
rule=$(printf '=%.0s' $(seq 83))
printf '\n\n%s\nprogram\n==\n%s\n%s\n' "$rule" "$rule" "$rule"
printf '\n%.50s' "$rule" # in pieces, as Hydra writes it
sleep 0.3
printf '%.33s\n' "$rule"
sleep 0.3
printf '=   BAD TERMINATION OF ONE OF YOUR APPLICATION PROCESSES\n=   PID 77 RUNNING AT here\n'
printf '[mpiexec@here] ' >&2
sleep 0.3
echo 'that is all' >&2
printf '=   EXIT CODE: 9\n%s\nYOUR APPLICATION TERMINATED WITH THE EXIT STRING: Killed (signal 9)\n' "$rule"
printf 'This typically refers to a problem with your application.\n'
printf 'Please see the FAQ page for debugging suggestions\nlast'
exit 9
END
run "$dartrun" -n 3 "$unit"; expect_code 137
rule=$(printf '=%.0s' {1..83})
expect_out $'\n\n'"$rule"$'\nprogram\n==\n'"$rule"$'\n'"$rule"$'\nlast'
expect_line "dartrun: a unit (pid 77) was killed by signal 9 (Killed)"
# What a program writes that looks like Hydra's errors is its own; what Hydra writes and all ends well is told at the end.
printf '#!/bin/sh\necho "[proxy:0] progress" >&2; echo "[proxy:0:0@here] late" >&2; echo after >&2\n' >"$work/mpiexec"
run "$dartrun" -n 3 "$unit"; expect_code 0
[[ $err == $'[proxy:0] progress\nafter\n[proxy:0:0@here] late' ]] || fail "lines like Hydra's: $err"
printf '#!/bin/sh\necho "[mpiexec@here] no host" >&2\nexit 3\n' >"$work/mpiexec"
run "$dartrun" -n 3 "$unit"; expect_code 3; expect_line "[[]mpiexec@here] no host"
printf '#!/bin/sh\necho "[mpiexec@a] Exit codes: [a] 0,256 [b] 1792,0"\nexit 3\n' >"$work/mpiexec"
run "$dartrun" -n 4 "$unit"; expect_code 1; expect_line "dartrun: a unit exited with code 1"; expect_out ""
printf '#!/bin/sh\necho "[mpiexec@a] Exit codes: [a] 0,0,0"\n' >"$work/mpiexec"
run "$dartrun" -n 3 "$unit"; expect_code 0; expect_out ""; [[ -z $err ]] || fail "it said: $err"
printf '#!/bin/sh\nexit 3\n' >"$work/mpiexec"
run "$dartrun" -n 3 "$unit"; expect_code 3; expect_line "dartrun: mpiexec ended with code 3"
# Hydra's words about the user's SIGINT are dropped; what a program says of it is not.
printf '#!/bin/sh\necho "Ctrl-C caught... cleaning up processes"; echo "Ctrl-C caught"
echo "[mpiexec@a] Sending Ctrl-C to processes as requested"; echo "[mpiexec@a] Press Ctrl-C again to force abort"\n' >"$work/mpiexec"
run "$dartrun" -n 3 "$unit"; expect_code 0; expect_out "Ctrl-C caught"; [[ -z $err ]] || fail "it said: $err"
# Its proxy is gone: one unit has crashed, one is gone with the proxy, and one goes on.
cat >"$work/mpiexec" <<'END'
#!/bin/bash
for signal in $SIGNALS; do sh -c "sleep 0.3; kill -$signal \$\$" & done
PMI_RANK=2 sh -c 'echo $$; exec sleep 1000' &
for error in 'control_cb (a.c:1): assert (!closed) failed' 'wait (b.c:2): callback returned error status'; do
  echo "[mpiexec@a] $error" >&2
done
exit 255
END
SIGNALS='KILL SEGV' run "$dartrun" -n 3 "$unit"; expect_code 139
expect_line "dartrun: a unit (pid *) was killed by signal 11 (Segmentation fault)"; gone "$out" || fail "a unit is left"
SIGNALS=KILL run "$dartrun" -n 3 "$unit"; expect_code 255
expect_line "dartrun: mpiexec has lost its proxy: it was killed, or units have crashed at once"; gone "$out" || fail "a unit is left"
# A program that handles the user's signal ends with codes of its own; one that does not, with the signal.
for pair in '0,768,0 3' '0,15,768 143'; do
  read -r codes wanted <<<"$pair"
  printf '#!/bin/sh\ntrap "echo \\"[mpiexec@a] Exit codes: [a] %s\\"; exit 3" TERM\nkill -TERM $PPID\nsleep 9 &\nwait\n' "$codes" \
    >"$work/mpiexec"
  run "$dartrun" -n 3 "$unit"; expect_code "$wanted"; expect_out ""
  [[ $wanted == 143 ]] || expect_line "dartrun: unit 1 exited with code 3"
done
# An input that ends at once, or is short, does not come before a short program is over, and then all of it does.
printf '#!/bin/sh\ntimeout 0.3 cat; echo $?; cat; echo end\n' >"$work/mpiexec"
for ((try = 1; try <= 5; try++)); do # cat may start late
  run "$dartrun" -n 3 "$unit"
  [[ $out != $'124\nend' ]] || break
done
expect_code 0; expect_out $'124\nend'
for ((try = 1; try <= 5; try++)); do
  run sh -c 'echo word | "$0" -n 3 "$1"' "$dartrun" "$unit"
  [[ $out != $'124\nword\nend' ]] || break
done
expect_code 0; expect_out $'124\nword\nend'
head -c 3000000 /dev/urandom >"$work/long"
printf '#!/bin/sh\ncksum\n' >"$work/mpiexec"
run sh -c '"$0" -n 3 "$1" <"$2"' "$dartrun" "$unit" "$work/long"; expect_code 0; expect_out "$(cksum <"$work/long")"
printf '#!/bin/sh\nprintf question; read answer; echo "$answer"\n' >"$work/mpiexec"
run sh -c '{ sleep 1; echo yes; } | "$0" -n 3 "$1"' "$dartrun" "$unit"; expect_out "questionyes"
unset DART_MPIEXEC MPIR_CVAR_NUM_CLIQUES

# A host to which mpiexec cannot log in: Hydra would wait for ever.
printf '#!/bin/sh\necho "ssh: no such host" >&2\nexit 255\n' >"$work/ssh"
chmod +x "$work/ssh"
run env HYDRA_LAUNCHER_EXEC="$work/ssh" "$dartrun" --hosts nohost -n 2 "$unit"; expect_code 1
[[ $err == $'ssh: no such host\ndartrun: mpiexec cannot start units on some host: ssh has ended with code 255' ]] ||
  fail "no such host: $err"

# An input that nobody reads costs no exit code: Hydra dies of SIGPIPE if it passes input on to a program that is over.
for ((try = 1; try <= 3; try++)); do # mpiexec may take longer than the input is held back
  run sh -c 'seq 20 | "$0" -n 3 sh -c "exit 3"' "$dartrun"
  [[ $code != 3 ]] || break
done
expect_code 3; expect_line "dartrun: unit 0 exited with code 3"

# All units crash at once: one line, although Hydra's proxy may be gone, too.
for ((try = 1; try <= 10; try++)); do
  run "$dartrun" -n 4 "$unit" '*:kill=11'
  expect_line "dartrun: *"; [[ $code == 139 || $code == 255 ]] || fail "exit code $code"; expect_out ""
done

# A dart_init that has failed has said so, and nobody says more of a program that goes on.
run env DART_SURVIVE=1 "$dartrun" -n 2 "$build/test/dart-unit-mpi" goes-on; expect_code 0
[[ $err == *"DART_SURVIVE=1: with dart-mpi"* && $(wc -l <"$work/err") == 1 ]] || fail "after a failed dart_init: $err"

# The real one starts the units, hands unit 0 the standard input, and passes exit codes on.
run "$dartrun" --nodes 2 -n 3 "$unit" '*:show';  expect_code 0
out=$(sort <<<"$out"); expect_out $'0 - 2\n1 - 2\n2 - 2'
timeout -k 5 60 "$dartrun" -n 2 "$unit" '0:cat' <<<'for unit 0' >"$work/out" 2>"$work/err"
code=$? out=$(<"$work/out") err=$(<"$work/err")
expect_code 0; expect_out "for unit 0"
run "$dartrun" -n 2 "$unit" '*:exit=3';          expect_code 3
run "$dartrun" -n 2 "$unit" '1:kill=11'
[[ $code != 0 ]] || fail "a unit was killed, and the exit code is 0"
for signal in 9 11 6; do
  run "$dartrun" -n 2 "$build/test/dart-end-mpi" "1:init,kill=$signal" '*:init,exit'; expect_code $((128 + signal))
done

# What a unit says of its end comes before what dartrun says of it.
for ((try = 1; try <= 10; try++)); do
  run "$dartrun" -n 3 "$build/test/dart-unit-mpi" exit 5
  [[ $code == 5 && $err == *"unit 2 ends with exit code 5"*$'\n'"dartrun: unit 2 (pid "*") ends the program with code 5" ]] ||
    fail "the end of a unit: exit code $code: $err"
  run env DART_LOG_LEVEL=ERROR "$dartrun" -n 3 "$build/test/dart-end-mpi" 0:init,abort=10 1:init,abort=11 2:init,abort=12
  [[ $err == "dartrun: unit $((code - 10)) (pid "*") ends the program with code $code" ]] || fail "all abort: $code: $err"
done

# Signals come to all units, also those that end mpiexec.
begin "$dartrun" -n 3 "$unit" '*:count'
lines 3 '^[0-9]*$'
kill -HUP $!;  lines 3 'got 1$'
kill -USR2 $!; lines 3 'got 12'
kill -USR1 $!
finished
expect_code 0; [[ -z $err ]] || fail "it said: $err"
for signal in 1 12; do
  begin "$dartrun" -n 2 "$unit" '*:wait'
  lines 2 '^[0-9]*$'
  kill -$signal $!
  finished
  expect_code $((128 + signal)); expect_line "dartrun: * signal $signal (*"
done

# The same of units that DART has started, which have no handlers: Hydra ends with 0 then, now and then, and UCX has a handler
# of SIGHUP unless dartrun forbids it.
for signal in 1 2 3 15; do
  begin env --default-signal=INT,QUIT DART_LOG_LEVEL=WARN "$dartrun" -n 3 "$build/test/dart-end-mpi" \
    '*:init,barrier,pid,sleep=30000,exit'
  lines 3 '^[0-9]* [0-9]*$'
  kill -$signal $!
  finished
  expect_code $((128 + signal)); expect_line "dartrun: the program has ended by signal $signal (*) to dartrun"
done

# A program that started MPI without threads gets no agent, is told so once, unless it wants none, and
# works.
agent_line='*no progress agent: MPI was not started for several threads*'
run "$dartrun" --nodes 2 -n 3 "$build/test/mpi-program"; expect_code 0
[[ $(grep -c "no progress agent" <<<"$err") == 1 && $err == $agent_line ]] ||
  fail "stderr '$err' does not say once why there is no agent"
run env DART_PROGRESS=none "$dartrun" --nodes 2 -n 3 "$build/test/mpi-program"; expect_code 0
[[ $err != $agent_line ]] || fail "a program that wants no agent is told: '$err'"

# An agent shares its unit's core.
run env DART_PROGRESS=thread "$dartrun" --bind=core --nodes 2 -n 2 "$build/test/dart-test-mpi" \
  far.dynamic_windows_and_an_agent notify
expect_code 0

finish
