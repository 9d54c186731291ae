# What services and containers run: the workflows of GitHub and GitLab call the two scripts of the tree; the Dockerfile
# installs packages that Debian 12 has, all that these scripts ask for among them, its commands build DART, and its last
# image has what the installed files need; the devcontainer and the Spack recipe name what there is.
source "$(dirname "$0")/cli.bash"
need cmake ninja python3 pkg-config mpicc.mpich ldd
top=$(cd "$(dirname "$0")/../.." && pwd)
[[ -z $(sed -n 's/^DART_SANITIZE:[A-Z]*=//p' "$build/CMakeCache.txt") ]] || { echo "skipped: once is enough"; exit 77; }
unset CC CXX CFLAGS CXXFLAGS CPPFLAGS LDFLAGS DESTDIR PKG_CONFIG_PATH LD_LIBRARY_PATH CMAKE_PREFIX_PATH
cd "$top" || exit 1

# ---- workflows -----------------------------------------------------------------------------------

if python3 -c 'import yaml' 2>/dev/null; then
  cat >"$work/workflows.py" <<'END_PYTHON'
import yaml

def is_time(text, unit):
    return int(str(text).rstrip("hm")) * (60 if str(text).endswith("h") else 1) <= unit

runs = {}  # by service: (image, command)
github = yaml.safe_load(open(".github/workflows/check.yml"))
assert set(github[True]) == {"push", "pull_request", "workflow_dispatch"}, github[True]  # YAML takes "on" for a truth value
for name, job in github["jobs"].items():
    matrix = job.get("strategy", {}).get("matrix", {})
    images = matrix["image"] if job["container"]["image"] == "${{ matrix.image }}" else [job["container"]["image"]]
    assert job["runs-on"] and is_time(job["timeout-minutes"], 360) and "--shm-size=1g" in job["container"]["options"], name
    assert job["steps"][0]["uses"].startswith("actions/checkout@"), name
    runs.setdefault("github", set()).update((image, step["run"]) for image in images for step in job["steps"][1:])

gitlab = yaml.safe_load(open(".gitlab-ci.yml"))
for name, job in gitlab.items():
    if name == "stages":
        continue
    images = job["parallel"]["matrix"][0]["IMAGE"] if job["image"] == "$IMAGE" else [job["image"]]
    assert job["stage"] in gitlab["stages"] and is_time(job["timeout"], 360), name
    runs.setdefault("gitlab", set()).update((image, line) for image in images for line in job["script"])

assert runs["github"] == runs["gitlab"], runs
for image, command in sorted(runs["github"]):
    print(image, command)
END_PYTHON
  run python3 "$work/workflows.py"; expect_code 0
  [[ $out == $'debian:12 ./check\ndebian:12 ./quickstart\nubuntu:24.04 ./quickstart' ]] || fail "the services run: $out $err"
  for script in $(cut -d' ' -f2 <<<"$out" | sort -u); do
    [[ -x $script ]] || fail "services run $script"
  done
else
  echo "the workflows were not looked at: there is no PyYAML here"
fi

# ---- the Dockerfile ------------------------------------------------------------------------------

# One instruction a line; and those of a stage.
awk '/^#/ { next } { held = held $0 } sub(/\\$/, "", held) { next } held != "" { gsub(/  +/, " ", held); print held; held = "" }' \
  packaging/Dockerfile >"$work/instructions"
stages=() # their names, or those of their images
declare -A packages runs
while read -r instruction words; do
  case $instruction in
    FROM)
      read -r image _ stage <<<"$words"
      [[ $image == debian:12 || " ${stages[*]} " == *" $image "* ]] || fail "the Dockerfile has no stage $image"
      stages+=("${stage:-last}")
      packages[${stages[-1]}]=${packages[$image]-} ;;
    RUN)
      if [[ $words == apt-get* ]]; then
        words=${words#*--no-install-recommends }
        packages[${stages[-1]}]+=" ${words%% &&*}"
      else
        runs[${stages[-1]}]+="$words"
      fi ;;
    COPY)
      [[ ! $words =~ ^--from=([a-z]+) || " ${stages[*]} " == *" ${BASH_REMATCH[1]} "* ]] || fail "COPY $words" ;;
    *) fail "the Dockerfile has $instruction, which this test does not know" ;;
  esac
done <"$work/instructions"
[[ ${stages[*]} == 'develop build last' && ${runs[last]} == ldconfig ]] || fail "stages: ${stages[*]}: ${runs[last]}"

# What both scripts ask for, whatever their arguments are.
wanted=$(sed -n '/^install_missing/{:more;/\\$/{N;b more};s/||.*//;s/install_missing//;s/\\\n//g;p}' quickstart check)
(($(wc -w <<<"$wanted") > 20)) || fail "quickstart and check ask for: $wanted"
for package in $wanted; do
  [[ " ${packages[develop]} " == *" $package "* ]] || fail "the Dockerfile's develop lacks $package"
done

# On a machine of that Debian that has nothing yet.
installs() { # PACKAGE...: what is installed then, in $work/installs
  apt-get -s -o Dir::State::status=/dev/null -o Debug::NoLocking=1 install -y --no-install-recommends "$@" >"$work/log" 2>&1 ||
    fail "apt-get does not install $*: $(grep '^E:' "$work/log")"
  sed -n 's/^Inst \([^ ]*\) .*/\1/p' "$work/log" | sort >"$work/installs"
}
has_lists=
if grep -qx 'VERSION_ID="12"' /etc/os-release && [[ -n $(apt-cache policy hwloc 2>/dev/null | grep 'Candidate: [0-9]') ]]; then
  has_lists=yes
  # shellcheck disable=SC2086
  installs ${packages[develop]}
else
  echo "packages were not looked at: there are no lists of Debian 12 here"
fi

# The commands of the build, in folders of this test.
run_limit=1500
run env FROM="$top" IN="$work/build" TO="$work/local" \
  bash -ec "$(sed 's|/usr/local|"$TO"|g; s|/src|"$FROM"|g; s|/build|"$IN"|g' <<<"${runs[build]}")"
[[ $code == 0 && $out$err != *'not used by the project'* ]] || fail "RUN ${runs[build]}: $code: $(tail -n 20 <<<"$out$err")"
run_limit=60

# What the last image has is enough for what was installed, and for programs.
if [[ -n $has_lists ]]; then
  # shellcheck disable=SC2086
  installs ${packages[last]}
  while read -r library; do
    package=$(dpkg -S "$library" "${library#/usr}" "/usr$library" 2>/dev/null | cut -d: -f1 | head -n 1)
    grep -qx "$package" "$work/installs" || fail "the last image lacks $library, of the package '$package'"
  done < <(find "$work/local" -type f \( -perm -1 -o -name '*.so*' \) -exec ldd {} + 2>/dev/null |
    awk '$2 == "=>" && $3 ~ /^\// { print $3 }' | grep -v "^$work" | sort -u)
  while read -r interpreter; do
    grep -qx "$interpreter" "$work/installs" || fail "the last image lacks $interpreter"
  done < <(grep -Ihos '^#!.*python3' -r "$work/local/bin" | grep -o 'python3' | sort -u)
fi
for backend in shmem mpi; do
  # shellcheck disable=SC2016
  PKG_CONFIG_PATH=$(dirname "$(find "$work/local" -name dart-shmem.pc)") run bash -ec '
    cc "$0" -o "$1/ring" $(pkg-config --cflags --libs "dart-$2") && "$1/local/bin/dartrun" -n 2 "$1/ring"' \
    examples/ring.c "$work" $backend
  [[ $code == 0 ]] || fail "examples/ring.c with dart-$backend: exit code $code: $out $err"
done

# ---- the devcontainer and Spack's recipe ---------------------------------------------------------

cat >"$work/devcontainer.py" <<'END_PYTHON'
import json, os, sys
container = json.load(open(".devcontainer/devcontainer.json"))
build = container["build"]
assert os.path.samefile(os.path.join(".devcontainer", build["dockerfile"]), "packaging/Dockerfile"), build
assert os.path.samefile(os.path.join(".devcontainer", build["context"]), "."), build
assert build["target"] in sys.argv[1:], build
assert container["customizations"]["vscode"]["settings"]["cmake.useCMakePresets"] == "always" and os.path.exists("CMakePresets.json")
END_PYTHON
run python3 "$work/devcontainer.py" "${stages[@]}"
[[ $code == 0 ]] || fail "the devcontainer: $err"

recipe=packaging/spack/spack_repo/dart/packages/dart/package.py
run python3 -c 'import ast, sys; ast.parse(open(sys.argv[1]).read())' $recipe; expect_code 0
settings=$(grep -oE '"(DART|MPI)_[A-Z0-9_]+"' $recipe | tr -d '"')
(($(wc -w <<<"$settings") >= 5)) || fail "the recipe sets: $settings"
for setting in $settings; do
  grep -q "^$setting:" "$work/build/CMakeCache.txt" || fail "the recipe sets $setting, which CMake does not know"
done
finish
