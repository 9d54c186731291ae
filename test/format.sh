# format.sh SOURCE: every file of C and C++ is as clang-format leaves it, by .clang-format. Versions of it
# differ in details, so one is meant, that of Debian 12. Public headers are laid out by hand.
# Comments, messages and pages do without phrases that readers stumble over, whatever the version.
[[ ${1-} != --help ]] || { sed -n '/^#!/d; /^#/!q; s/^# \{0,1\}//p' "$0"; exit; }
cd "$1" || exit 1

phrases=('the own' 'put off' 'puts off' likewise 'what is kept' 'who finds' 'has to be there' 'so to say' 'is not the matter'
  '(give|gives|given|gave) (back|away)' '(let|lets) go' 'asks? for nothing' 'turns of waiting' 'looked at for'
  'the time was over' 'that of the own' 'the time is over' 'roads?' 'be meant' 'Make them several' 'has come so' 'have what all'
  '(by|of|to|but|wakes?) who' '(give|gives|given|gave|giving) (it|them|the locks?) back' 'locks? (is|are|was|were|may be|being) given up'
  '(give|gives|giving) the locks? up' '(has|have) come to .ret.' 'what it came to' 'wait comes by' 'progress (has come|comes) by')
refused=$(printf '|%s' "${phrases[@]}")
grep -rnEiw "${refused:1}" --exclude=format.sh --exclude-dir=build --exclude-dir=.git . &&
  { echo "these phrases are refused: say what a reader outside of this project would say"; exit 1; }

version=$(clang-format --version 2>/dev/null) || { echo "skipped: there is no clang-format here"; exit 77; }
[[ $version == *" version 14."* ]] || { echo "skipped: $version, not 14"; exit 77; }

mapfile -t files < <(find dart-base dart-mpi dart-shmem launch dart-check bench examples test tools trace \
  -name '*.[ch]' -o -name '*.cc')
((${#files[@]} > 200)) || { echo "few files were found: ${#files[@]}"; exit 1; }
clang-format --dry-run --Werror "${files[@]}"
