"""What makes a program run another, write elsewhere or obey others' settings asks, under a rule and after a yes."""

import shlex

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kimi_tui.permission.policy import Policy
from kimi_tui.permission.programs.classifier import allows_anything, classify, programs
from kimi_tui.permission.programs.options import Level
from kimi_tui.permission.rule import Effect, parse_rule
from kimi_tui.tools.core.permission_subject import command_subject
from kimi_tui.tools.shell_support.approval_scope import approval_scope
from kimi_tui.tools.shell_support.command_parser import parse_command_line

DANGEROUS = r"""
cargo build --target a.json
cargo build --target=../a
cargo fmt -- --print-config default ../x
cargo fmt -- ../x.rs
cargo fmt --check -- --config-path=../x
npm run build --script-shell=./x -w a
docker build -f ../x .
docker build --file=https://a/b .
docker build /
docker build -f Dockerfile ~
docker build ..
docker build https://a/b.git
docker build github.com/a/b
docker buildx build git@a:b
docker buildx build --output=../x .
docker compose -p a -f ../x up
docker network create -d x y
docker volume create --opt device=/ x
docker context use x
kubectl apply -f https://a/b.yaml
kubectl apply --filename=../b.yaml
kubectl delete -f/etc/x
kubectl get -f https://a/b.yaml
kubectl get pods --output json --kubeconfig=x
kubectl get pods -o go-template-file=/etc/passwd
kubectl get pods -o=jsonpath-file=x
kubectl get pods --output=custom-columns-file=x
kubectl get pods -ogo-template-file=x
kubectl get pods -o json -o templatefile
uv init ../x
uv venv /x
uv build ~/x
uv add git+https://a/b
uv publish ../x
uv pip install ../x
pip install file:///x
pip download https://a/b.whl
npm pack ../x
npm publish /x
npm install file:../x
npm i https://a/b.tgz
poetry add ../x
make V=./x
make V=1 SHELL=./x
pytest -p x
pytest -pno:a -pevil
pytest -W error::evil.Warning
pytest --cov-report=html:../x
pytest --co --output=x
git -c core.pager=x status
git -c alias.x=!id x
git -calias.x=!id x
git -C ../evil status
git --git-dir=evil/.git status
git --git-dir evil/.git status
git --work-tree=/ status
git --exec-path=. status
git --config-env=core.pager=X status
git --config-env core.pager=X status
git -p log
git --paginate log
git --namespace=x status
git no-such-subcommand
git x
git --shallow-file status -c core.fsmonitor=id status
git --unknown status -c core.fsmonitor=id status
git config core.fsmonitor id
git config alias.x !id
git config core.hooksPath evil
git config --add core.pager id
git config --replace-all core.pager id
git config set core.pager id
git config --type path core.fsmonitor id
git config --local include.path ../evil
git config --global user.name x
git config --file=../x user.name x
git config -f ../x user.name x
npm config set script-shell ./x
npm c set script-shell ./x
npm config edit
npm set script-shell ./x
pnpm config set script-shell ./x
pip config set global.index-url http://x
poetry config cache-dir ../x
gh config set pager ./x
kubectl config set-credentials x --exec-command=./x
ip netns exec x id
ip net exec x id
ip -all netns exec id
ip vrf exec x id
gh auth status -t
gh auth status -thgithub.com
gh auth status --show-t
gh auth token
gh pr view --web
docker container exec a id
docker volume x
sed -l e p x
sed -le p x
git maintenance start
git maintenance register
git fast-export --all --export-marks=../x
git fast-import --export-marks=../x
ncat --hex-dump /tmp/x a 1
ncat --unixsock /run/docker.sock
zip -lf /tmp/x -r a b
zip --output-file /tmp/x a
tcpdump --no-such-option
journalctl --no-such-option
systemctl enable /tmp/evil.service
docker build --cache-to type=local,dest=/tmp/x .
cargo test -- --logfile=/tmp/x
cargo new ../x
cargo vendor /tmp/x
cargo doc --open
cargo build --no-such=x
cargo install --path=../x
cargo add --path=../x
cargo build --target-dir=../x
cargo run --manifest-path=../x
cargo publish --index=x
cargo login --registry=x
pnpm --config.script-shell=./x test
npm --no-such=x test
docker --tlscacert=x ps
docker ps --no-such
docker load --input=x
docker image save -o x a
docker start --checkpoint-dir=/x a
docker inspect --no-such=x a
docker compose config -o x
docker compose up --env-file=x
docker compose --profile=x --file=y up
kubectl --kubeconfig=evil get pods
kubectl get pods --token=x
kubectl get --raw=/x
kubectl apply -f x
kubectl apply -k x
kubectl create -f x --edit
kubectl create secret generic a --from-file=x
kubectl config view --raw
kubectl get pods --profile=cpu
kubectl get pods --log-dir=x
kubectl patch deployment a --patch-file=x
kubectl expose deployment a --overrides=x
kubectl port-forward a 80
kubectl cp a:/x /y
helm --post-renderer=x list
helm list --kube-ca-file=x
helm list --registry-config=x
helm install a b
go test -mod=mod evil.example/x
go build -mod mod evil.example/x
brew install ./x.rb
brew install a/b/c
bmake -dF/tmp/x
make --no-such-option
task --no-such-option
task CC=./x build
tar -cf a.tar --no-such-option b
unzip --no-such-option a
lsof -Dw/tmp/x
base64 -o /tmp/x a
sftp --no-such-option h
pytest --alluredir=/tmp/x
pytest --ds=evil.settings
mypy --lineprecision-report=/tmp/x a.py
mypy --xslt-html-report /tmp/x a.py
isort --formatter x
eslint --suppressions-location /tmp/x --suppress-all
prettier --cache --cache-location=/tmp/x .
prettier --plugin-search-dir /tmp .
tsc --outfile /tmp/x
git bugreport -o ../x
git bugreport --suffix=x/../../out
git bugreport -s x/../../out
git diagnose --suffix=x/../../out
git format-patch -1 --suffix=/../../out
git mailsplit m ../out
git mailsplit -f7 m out
git index-pack ../out/x.pack
git worktree repair ../x
git log --help
git clone --help
git difftool -y HEAD
git config --unset core.hooksPath
git config --remove-section protocol
git diagnose --output-directory=../x
git index-pack -o ../x y
git read-tree --index-output=../x HEAD
git mailsplit -o../x y
sed --expr=1e\ id README
sed --exp '1e id' README
sed -n --expr='w f' p README
sed --line p '1e id' README
sed --unknown p '1e id' README
awk --field-sep p 'BEGIN{system("id")}'
xxd a -b
xxd a -s5
npm --unknown ls exec id
git log --output=x
git commit -S -m a
git commit --gpg-sign=x -m a
git commit --template=../x
git commit -p
git tag -s v1 -m a
git log --show-signature
git log -S --show-signature
git log --no-such-option
git diff -U --output=x
git diff -S --output=x
git show --pretty --output=x
git blame --contents x a
git merge -S a
git merge --verify-signatures a
git pull --gpg-sign
git pull --verify-signatures
git rebase -S a
git rebase --strategy=x a
git push --signed origin
git clone --reference ../a b
git clone --reference-if-able ../a b
git clone --separate-git-dir=../x b
git clone --bundle-uri=x b
git add -e
git add -p
git add --pathspec-from-file=x
git checkout -p
git grep -f x
git notes --no-such add
git worktree add --no-such x
git fsck --lost-found
git replace --edit a
git quiltimport --patches=../x
git archive --add-file=../x HEAD
git send-pack --exec=id x
git cat-file --textconv HEAD:a
git cat-file --filters HEAD:a
git range-diff --ext-diff a b
git rev-list --no-such HEAD
git remote --help
git stash --help
git log --outp=x
git log --o=x
git diff --output x
git diff --ext-diff
git diff --ext
git show --textconv HEAD
git grep -O x
git grep -Oid x
git grep -nOid x
git grep --open-files-in-pager=id x
git grep --open=id x
git repack -ad --filter-to=/tmp/x
git repack -ad --expire-to=/tmp/x
git gc --expire-to=/tmp/x
git config edit
cargo rustc -- -C linker=id
cargo rustdoc -- -o /tmp/x
cargo clippy -- -C linker=id
cargo install --root /tmp/x y
git rebase -x id HEAD~1
git rebase -xid HEAD~1
git rebase --exec id HEAD~1
git rebase --ex=id HEAD~1
git difftool -x id
git difftool -yxid
git difftool --extcmd=id
git difftool --extc=id
git mergetool
git clone -u id a b
git clone --upload-pack=id a b
git clone --upload=id a b
git clone -c core.fsmonitor=id a b
git clone --template=evil a b
git clone ext::id b
git fetch --upload-pack=id a
git fetch ext::id
git ls-remote --upload-pack=id a
git push --receive-pack=id a
git push --exec=id a
git pull --upload-pack=id
git archive --remote=a --exec=id HEAD
git archive -o x HEAD
git archive --output=x HEAD
git bisect run id
git submodule foreach id
git filter-branch --tree-filter id
git merge-index id -a
git hook run x
git for-each-repo --config=x id
git init --template=evil
git apply --directory=/ x
git format-patch -o /elsewhere HEAD~1
git merge -s evil x
git remote-ext x id
git send-email x
git daemon
sed 1e\ id a
sed -e 1e\ id a
sed --expression=1e\ id a
sed -n -e p -e 1e\ id a
sed s/a/id/e a
sed s/a/id/w\ f a
sed w\ f a
sed -n 'w f' a
sed -i '' '1w f' a
sed -i .bak '1w f' a
sed -i '' wf a
sed -i s/a/b/ ../x
sed -Ei.bak s/a/b/ a /x
sed --in-place -e s/a/b/ ~/x
sed -i --follow-symlinks s/a/b/ a
sed 's/[]/]/;s/w f/x/' a
sed '1{w f' a
sed '$!{r /etc/passwd' a
sed 'r /etc/passwd' a
sed 'R /etc/passwd' a
sed 'W f' a
sed -f script a
sed -nfscript a
sed --file=script a
sed --fi=script a
sed 's/[/]/x/w f' a
awk 'BEGIN{system("id")}'
awk '{print | "id"}' a
awk '{print > "f"}' a
awk '{printf "x" >> "f"}' a
awk '"id" | getline x' a
awk '{getline x < "f"}' a
awk -f script a
awk -fscript a
gawk -i inplace 1 a
gawk -l evil 1 a
gawk -o 1 a
gawk '@load "evil"' a
awk 'BEGIN{ARGV[1]="x"}' a
awk '{print (1)(2) > "f"}' a
awk '{print 1 > "f"; x = (1 > 2)}' a
awk '{print 1,\n2 > "f"}' a
awk '/[/]/;system("id")/' a
awk '{x = 1; x / 1; system("id") / 2}' a
awk 'if (1) /a/ 1' a
awk '{getline ++x; getline = 1}' a
awk '{print unknown}' a
awk '{print f(1)}' a
awk '{print ENVIRON["HOME"]}' a
awk -v ENVIRON=1 1 a
awk 'BEGIN{print "x" |& "id"}' a
curl --unknown x http://x
curl --next http://x
curl --aws-sigv4 x http://x
curl --proxy-header x http://x
curl --dump x http://x
curl -sSLo f http://x
wget --exec x http://x
wget --unknown http://x
wget --use-ask=x http://x
wget -nd http://x
no-such-program --check x
rsync --rs=id a b
rsync -ave id a b
rsync --filter='merge x' a b
rsync --compare-dest=/x a b
rsync --backup-d=/x a b
scp --unknown a b
find . -exec id ;
find . -execdir id ;
find . -ok id ;
find . -delete
find . -fprint f
find . -fprintf f x
find . -fls f
find . -name a -delete
find . -name -delete
sort -o f a
sort -of a
sort -rof a
sort --output=f a
sort --outp f a
sort -uo f a
sort --compress-program=id a
sort --compress id a
sort --co=id a
uniq a f
uniq -c a f
uniq a -c
sort a -- -o f
sort a -- --outp=f
rg --pre id x
rg --pre=id x
rg --hostname-bin=id x
fd -x id
fd -X id
fd -Hx id
fd --exec id
fd --exec-batch id
tree -o f
tree -ao f
tree -R
file -C -m x
file -m x a
file -f x
date -s x
date --set=x
date --se=x
date 01010000
hostname evil
hostname -F f
xxd -r a f
xxd -ps a f
tree -Lo 2 f
git bundle create f HEAD
git bundle create -q /f HEAD
git mailinfo msg patch
git merge-file a b c
git pack-objects a
git interpret-trailers --in-place a
git worktree add ../x
git worktree add -b a ~/x
git worktree move a /x
git clone a ../b
git clone a ~/b
git init ~/a
curl -w '%output{f}x' a
curl -sw '%output{f}x' a
curl --write-o '%output{f}x' a
curl -w @f a
curl file:///a%62
curl 'file:///a/.{s}sh/b'
curl -s http://a file:/b
curl --url file:///a
curl --url=file:///a
curl http://localhost:1@b.example/
curl -s '{file}:///a'
curl http:///a
wget http://localhost:1@b.example/
jq -n 'import "config" as $c {search:"/x/.docker"}; $c'
jq 'include "x"; .' a
jq -f x.jq a
jq -nf x.jq
jq --from-file x.jq a
jq -L /x . a
jq -n '"x" | modulemeta'
sed '-i/elsewhere/*' s/a/b/ a
sed '--in-place=../x*' s/a/b/ a
tar -cf ../a b
tar cf ~/a b
tar rf /a b
tar --create --file=/a b
npm run -prefix evil test
npm -prefix=evil test
npm test -script-shell=id
pnpm run x -prefix evil
npm run x -userconfig evil
tree -aIo x f
iconv -o f a
iconv -of a
iconv --out=f a
split --filter=id a
split --fil=id a
tar -I id -cf a b
tar -Iid -cf a b
tar -xIid -f a
tar xIf id a
tar xCf / a
tar --use-compress-program=id -cf a b
tar --use=id -cf a b
tar --to-command=id -xf a
tar --to=id -xf a
tar --checkpoint=1 --checkpoint-action=exec=id -cf a b
tar --checkpoint-a=exec=id -cf a b
tar -C / -xf a
tar -P -xf a
tar -xf host:a
tar xf host:a
tar cbf 20 host:a b
tar --file=host:a -t
tar -c --file user@host:a b
tar -F id -cf a b
tar --rsh-command=id -xf a
tar -T names -cf a
zip -T -TT id a b
zip -TTid a b
unzip -d / a
rsync -e id a b
rsync -aeid a b
rsync --rsh=id a b
rsync --rs=id a b
rsync --rsync-path=id a b
cp -t / a
mv --target-directory=/ a
ln --target=/ a
install -s --strip-program=id a b
dd if=a of=/elsewhere
make SHELL=id
make CC=id x
make -f evil
make -fevil
make -C evil
make -kC evil
make --directory=evil
make --eval=x
make --ev=x
make -I evil
gcc -wrapper id a.c
gcc -fplugin=x.so a.c
gcc -B. a.c
gcc @args
gcc -specs=x a.c
gcc -Wl,-plugin,x a.c
go test -exec id ./...
go test --exec=id ./...
go build -toolexec id
go vet -vettool=id
go build -o /elsewhere
go build -ldflags=-extld=id
go build -overlay=x
go -C evil test
go generate
go tool x
cargo --config x test
cargo test --config x
cargo test --manifest-path=evil/Cargo.toml
cargo test --manifest evil
cargo no-such
cargo +evil test
npm --prefix evil test
npm test --prefix evil
npm test --pref evil
npm test --script-shell=id
npm -C evil test
npm test --node-options=--require=x
npm exec id
npm x id
npm init evil
npm explore a id
pnpm dlx id
npm pkg set scripts.x=id
npm rebuild --python=./evil
npm rebuild --make ./evil
npm install --no-such-option
npm docs x
yarn node -e x
yarn workspace a exec id
yarn workspaces foreach exec id
yarn plugin import ./x.js
yarn policies set-version ./x.js
pnpm node -e x
pnpm install --pnpmfile=./x.js
pnpm run --config.scriptShell=id x
bun run --preload ./x y
bun test -r ./x
pytest --tx popen//python=./evil
pytest --tx=popen//python=./evil
pytest @arguments
gh gist clone x -- -c core.sshCommand=id
gh repo fork x -- --upload-pack=id
gh release download -D ..
kubectl cluster-info dump --output-directory=/x
docker cp a:/x /y
uv export -o ../x
git clone ssh://-oProxyCommand=id/x y
git scalar register
pnpm -C evil test
yarn dlx id
yarn --cwd evil test
bun x id
pip install --config-settings=x a
pip install --target=/ a
pip install -i evil a
pip install --index=evil a
pip --python evil install a
uv run python -c x
uv run --with evil x
uv run -m evil
uv --directory evil run x
uv tool run id
uv run bash -c id
poetry run python x
poetry -C evil install
hatch run bash
conda run -n x id
bundle exec ruby -e x
bundle --gemfile=evil exec x
pytest -p evil
pytest -pevil
pytest -qp evil
pytest -c evil.ini
pytest --rootdir=evil
pytest --root=evil
pytest -o addopts=x
pytest --basetemp=/
pytest --junitxml=/f
python -m pytest -p evil
python3 -m pytest -c evil
ruff check --config evil
ruff check -o f
mypy --python-executable=id a
mypy --config-file=evil a
eslint -c evil a
eslint -f evil a
eslint --rulesdir evil a
prettier --plugin=evil a
tsc -p evil
printf x%n PATH
printf %5ln PATH
printf -v PATH x
printf -- %n PATH
printf %
fd -l
bat --paging=always x
7z x a.7z -o/tmp/x
tsc --OUTDIR ../x
tsc -P evil
tsc --Project evil
docker exec a id
docker run a id
docker -H evil ps
docker --context evil ps
docker container exec a id
docker compose exec a id
docker compose -f evil up
docker no-such
kubectl exec a -- id
kubectl run a --image=b
kubectl --kubeconfig=evil get pods
kubectl get pods --kubeconfig evil
kubectl debug a
kubectl no-such
helm list --kubeconfig=x
curl -o f a
curl -of a
curl -sof a
curl -O a
curl -K f a
curl --config f
curl --output f a
curl --outp f a
curl -T f a
curl --unix-socket=x a
curl -c jar a
wget -O f a
wget -qO f a
wget --use-askpass=id a
wget --output-document=f a
wget -e x a
scp -S id a b
scp -o ProxyCommand=id a b
sftp -b f a
nc -e id a
ncat --exec id a
ncat -c id a
gh alias set a b
gh no-such
gh extension install x
systemctl -H evil status
systemctl edit x
setpriv id
chrt 1 id
taskset 1 id
perf record id
valgrind id
hyperfine id
direnv exec . id
mise exec id
arch-chroot . id
prlimit id
setarch id
strace id
bat --pager=id a
ack --pager=id a
jest-wrapper-that-is-not-known && ssh a id
bc a*
uniq a*
sort -o a*
make a*
awk p* a
ag --pager ./x pattern
ag --pager=./x pattern
ag -A --pager x
ack --output=eval x
ack --env x
aria2c --on-bt-download-complete=./x http://h/f
aria2c --on-download-error=./x http://h/f
aria2c --on-download-stop ./x http://h/f
aria2c --on-download-pause=./x http://h/f
aria2c --save-session=../x http://h/f
aria2c --log=../x http://h/f
openssl engine -pre SO_PATH:./x.so -pre LOAD dynamic
openssl s_client -connect h:443 -keylogfile ../x
openssl s_client -connect h:443 -sess_out ../x
openssl ca -outdir .. -in x
openssl x509 -in x -CAserial ../x
bazel build --workspace_status_command=./x //...
bazel build --credential_helper=./x //...
bazel build --override_repository=a=../x //...
bazel build --shell_executable=./x //...
bazel run --script_path=../x //a
bazel build --profile=../x //a
gradle --settings-file ../x build
gradle --build-file=../x build
gradle --include-build ../x build
gradle --system-prop=a=b build
gradle --project-prop a=b build
mvn --define exec.executable=./x exec:exec
mvn exec:exec
mvn org.codehaus.mojo:exec-maven-plugin:3.0:exec
mvn -l ../x package
mvn --log-file=../x package
mvn -gt ../x package
mvn --global-toolchains ../x package
mvn -ps ../x package
dotnet test -a ../x
dotnet test --test-adapter-path ../x
dotnet test --diag:../x
dotnet test -r ../x
dotnet test -l x
dotnet build -bl:../x
dotnet build -flp:logfile=../x
dotnet build -fl
dotnet build /p:CustomBeforeMicrosoftCommonTargets=../x
dotnet build /logger:x.dll
dotnet build @x.rsp
meson devenv ./x
meson test --wrapper=./x
meson test --wrap ./x
meson compile --ninja-args=-f,x
meson runpython x.py
cmake --build ../x
cmake --graphviz=../x .
cmake --trace-redirect=../x .
cmake --install b --prefix ../x
cmake --find-package -DNAME=x
rustc @x
rustc --print=file-names=../x a.rs
just evil/build
just --dotenv-path ../x build
just -g build
just --edit
just a=b build
just --tempdir ../x build
ld -plugin ./x.so a.o
ld --plugin=./x.so a.o
ld --script=x a.o
gcc --prefix=./x a.c
gcc --prefix ./x/ a.c
gcc --for-linker=-plugin=x a.c
dpkg --status-logger=./x -i a.deb
dpkg --log=../x -i a.deb
dpkg -x a.deb ..
pip download --dest ../x y
pip download -d ../x y
uv python install --install-dir ../x
uv build --build-constraint ../x
tox exec -- ./x
tox e -e py -- ./x
tox --runner x
nox --force-python ./x
nox --script ../x.py
gem exec x
gem open rails -e ./x
gem install --bindir ../x y
gem install -n ../x y
rake --execute-print id
rake --execute-continue id
rake --libdir ../x
rake --rakelibdir ../x
rake RUBYOPT=-rx
hatch env run ./x
poetry env use ./x/python
pipenv install --python ./x
pipenv lock --python=./x
pdm lock -L ../x
bundle install --binstubs=../x
aws configure set credential_process ./x
aws configure import --csv file://x
gcloud config set auth/credential_file_override ../x
gcloud compute ssh h --ssh-flag=-oProxyCommand=./x
az extension add --source ./x.whl
sysctl kernel.core_pattern=x
sysctl -q kernel.core_pattern=x
zstd --trace=../x f
zstd --trace ../x f
pytest -k @x
pytest --tb @x
mypy @x
mypy --platform @x a.py
ruff check @x
ruff format --check @x
flake8 @x
go test -test.cpuprofile=../x ./...
go test -test.outputdir .. ./...
go test -args -test.testlogfile=../x
go build -debug-trace=../x ./...
go build --debug-actiongraph=../x ./...
terraform init -from-module=../x
terraform apply -backup=../x
terraform plan -generate-config-out=../x
terraform plan -state-out=../x
terraform providers lock -fs-mirror=../x
git help status
git help -m status
git tag -v x
git tag --verify x
git verify-tag x
git verify-commit HEAD
git branch --edit-description
git branch --edit-desc
http --cert-key=../x --cert=../y h
nmap --stylesheet ../x h
nmap -resume ../e
terraform fmt -write=../x
docker build --metadata-file=../x .
systemctl import-environment X
systemctl set-property x y
bat cache --build --target=../x
bat --diagnostic
bat --lessopen x
sed 'w x' -e p README
sed 1e\ id -e p README
sed 'w x' -n --expression=p README
bundle exec a*
sqlite3 app.db '.shell id'
sqlite3 app.db -cmd '.shell id'
psql -d dev -c '\\! id'
mysql dev -e '\\! id'
lldb a -o 'platform shell id'
./gradlew -I ../x build
./gradlew --init-script ../x build
./mvnw exec:exec
./mvnw -f ../x test
pip install -r https://x/y
pip install -r ../x
pip install --requirement=/x
gem install /tmp/x.gem
gem install ../x.gem
apt install ./x.deb
apt-get install -y /tmp/x.deb
cargo install --git https://x/y
cargo add --git=https://x/y
""".strip().splitlines()
HARMLESS = (
    *("git status", "git log", "git diff", "git show", "git grep x", "git fetch origin", "git push origin", "ls"),
    *("sort a", "uniq a", "sed -n 1p a", "awk 1 a", "find . -name a", "rg x", "fd x", "tree", "file a", "date"),
    *("hostname", "pytest", "npm test", "go test ./...", "go vet ./...", "go build ./...", "cargo test"),
    *("uv run pytest", "python -m pytest", "ruff check", "mypy a", "eslint a"),
    *("bundle exec pytest",),
)


def granted(command: str) -> tuple[str, ...]:
    scope = approval_scope(parse_command_line(command), command)
    return scope.keys if scope else ()


GRANTED = frozenset(key for command in HARMLESS for key in granted(command))


def allowed(rule: str, command: str) -> bool:
    policy = Policy([parse_rule(rule, Effect.ALLOW)])
    return policy.decide("Shell", command_subject(parse_command_line(command))).effect is Effect.ALLOW


@pytest.mark.parametrize("command", DANGEROUS)
def test_a_dangerous_word_is_asked_about_whatever_was_granted_and_whatever_the_rule(command: str) -> None:
    keys = granted(command)
    assert not keys or not set(keys) <= GRANTED
    assert not allowed(f"Shell({shlex.split(command)[0]} *)", command)


def test_there_are_many_dangerous_commands() -> None:
    assert len(set(DANGEROUS)) >= 150


USUAL = """
git clone --recurse-submodules --depth 1 https://x/y.git
git clone -b main --single-branch https://x/y.git z
git commit --amend --no-edit
git commit -am x --no-verify
git commit -C HEAD --author=a
git push --force-with-lease origin a
git push -u origin HEAD --no-verify
git push origin --delete a
git pull --rebase --autostash origin main
git pull -r
git fetch --all --prune --jobs=4
git fetch origin --recurse-submodules
git rebase -i --autosquash HEAD~3
git rebase --continue
git rebase --onto main a b
git merge --no-ff -m x a
git merge --abort
git checkout -b a --track origin/a
git checkout --ours -- a
git checkout HEAD~1 -- a
git switch -C a
git restore --staged --worktree a
git reset --hard HEAD~1
git cherry-pick -x --no-commit a
git revert --no-edit HEAD
git stash -u
git stash -m wip
git stash push -m wip -- a
git stash pop --index
git branch -D a
git branch -u origin/a
git branch --set-upstream-to=origin/a
git tag -a v1 -m x
git tag -d v1
git worktree add -b a wt main
git add -f a
git rm -r --cached a
git mv -f a b
git clean -fdx
git log --cherry-mark --encoding=UTF-8 -- a
git log --stat -h
git diff -U 5
git diff --no-index a b
git diff --full-index --find-copies-harder
git show --remerge-diff HEAD
git blame -b a
git grep -rn x
git config --add user.name x
git config --show-origin user.name
git remote add -f a https://x/y.git
git remote prune origin --dry-run
git apply --3way --reject a.patch
git am --3way a.patch
git archive --format=tar HEAD
git ls-remote --heads --exit-code origin
git bisect start --first-parent HEAD v1
git notes --ref=x add -m y
git update-index --assume-unchanged a
git submodule update --init --recursive
git rev-list --count --objects HEAD
git cat-file -p HEAD
git symbolic-ref --short HEAD
npm --loglevel=silent test
pnpm --filter=a test
pnpm -r test
uv --color=never sync
pip --disable-pip-version-check list
systemctl --user --no-pager status a
poetry -n install
docker ps -a --format=x
docker logs -f --tail 50 web
docker images -q
docker rm -fv a
docker rmi -f a
docker stop -t 5 a
docker inspect -f x a
docker build -t a --build-arg x=y .
docker image ls -a
docker container ls -a
docker system df -v
docker volume ls -q
docker compose up -d --build
docker compose down -v --remove-orphans
docker compose logs -f --tail=50 a
docker-compose ps -a
kubectl get pods -A -o wide
kubectl get pods -n x -l a=b --watch
kubectl -n x logs -f --tail=50 a -c b
kubectl logs -p a
kubectl describe pod a -n x
kubectl delete pod a --grace-period=0 --force
kubectl rollout status deployment/a --timeout=60s
kubectl scale deployment/a --replicas=2
kubectl wait --for=condition=ready pod/a
kubectl top pods --containers
kubectl create namespace a --dry-run=client -o yaml
kubectl patch deployment a -p {}
kubectl auth can-i get pods
helm list -A -o json
helm history a --max=5
cargo build --release --features=a
cargo build --timings
cargo run --bin a
cargo add serde -F derive
cargo tree -d -i a
cargo update -p a --precise 1.0.0
cargo clippy --all-targets -- -D warnings
cargo clippy --fix --allow-dirty
cargo bench a
cargo doc --no-deps
cargo install ripgrep --locked
cargo metadata --format-version=1 --no-deps
cargo new --lib a
cargo build --target wasm32-unknown-unknown
cargo test -- --skip slow --color=always
cargo fmt --all -- --check
cargo info serde
npm run build --workspace=a --if-present
npm run -w a build
npm test --workspaces
npm version minor --no-git-tag-version
docker build -t a -f Dockerfile.dev .
docker buildx build --platform=linux/amd64 -t a .
docker compose --profile dev -p a up -d
docker compose watch
docker build ./a
docker build a/b.c
docker build -t a -
docker network create a
docker volume rm a
docker system prune -af --volumes
docker context ls
kubectl delete --filename=a.yaml
kubectl diff -f a.yaml
kubectl get pods --output=json
kubectl get pods -o=wide
kubectl get pods -o jsonpath='{.items[0].a}'
kubectl get pods -ocustom-columns=A:.b
npm install @types/node lodash@4
npm install ./packages/a
npm run build -- ../x
npm test -- ../x
pip install . requests==2
uv add 'httpx[http2]>=0.27'
uv venv
uv venv env
git stash drop stash@{0}
make V=1 -h
pytest --co -q
pytest -p no:cacheprovider -W error -W ignore::DeprecationWarning
pytest --cov=a --cov-report=term-missing:skip-covered --cov-report html
pytest --import-mode=importlib --cache-clear
pytest --numprocesses=4 --runslow
"""


@pytest.mark.parametrize("command", USUAL.strip().splitlines())
def test_a_rule_for_a_program_covers_its_usual_options(command: str) -> None:
    assert allowed(f"Shell({command.split()[0]} *)", command)


@pytest.mark.parametrize(
    ("rule", "command", "covers"),
    [
        ("git *", "git push --force", True),
        ("ip *", "ip -br -4 addr show", True),
        ("npm *", "npm config get registry", True),
        ("npm *", "npm install --save-dev x", True),
        ("npm *", "npm pkg get name", True),
        ("npm install *", "npm install x", True),
        ("gh *", "gh pr view 1 --comments", True),
        ("pytest *", "pytest -x --no-such-option tests", False),
        ("pytest *", "pytest -x --pdb --deselect=a tests", True),
        ("eslint *", "eslint --fix .", True),
        ("tar *", "tar -xzf a.tgz --strip-components=1", True),
        ("tar *", "tar czf a.tgz b --exclude=c", True),
        ("make *", "make -j4 -R --no-print-directory all", True),
        ("docker *", "docker build -t a --no-cache .", True),
        ("go *", "go test -mod=vendor ./...", True),
        ("cargo *", "cargo test -- --nocapture x", True),
        ("journalctl *", "journalctl -u a -n 50 --no-pager", True),
        ("brew *", "brew install a", True),
        ("zip *", "zip -qr a.zip b -x c", True),
        ("prettier *", "prettier --write .", True),
        ("mypy *", "mypy --strict --warn-unreachable -m a", True),
        ("tsc *", "tsc --watch", True),
        ("kubectl *", "kubectl config current-context", True),
        ("git *", "git commit -F x", True),
        ("git *", "git log --no-such-option", False),
        ("git -c core.pager=cat *", "git -c core.pager=cat log", True),
        ("git -c core.pager=cat *", "git -c core.pager=id log", False),
        ("git -c core.pager=cat *", "git -c core.pager=cat -c core.pager=id log", False),
        ("git rebase -x *", "git rebase -x 'make test' main", True),
        ("no-such-program *", "no-such-program --exec2 x", True),
        ("base64 *", "base64 -d a", True),
        ("docker exec *", "docker exec web id", True),
        ("docker *", "docker ps -a", True),
        ("python *", "python -c x", True),
        ("uv run *", "uv run pytest -q", True),
        ("uv run *", "uv run python x.py", False),
        ("uv run python *", "uv run python x.py", True),
        ("chrt *", "chrt 1 ls", False),
        ("sed *", "sed -i s/a/b/ f", True),
        ("sed *", "sed -i '' s/a/b/ f", True),
        ("curl *", "curl -sSL --retry 3 --http2 https://x", True),
        ("wget *", "wget -q --tries=3 https://x", True),
        ("curl *", "curl localhost:3000/a?b=[1]", False),
        ("curl *", "curl 'HTTP://localhost:3000/a?b=[1]&c=@{d}' [::1]:80", False),
        ("curl *", "curl 'HTTP://localhost:3000/a?b=[1]&c=@{d}' --url=b.example", True),
        ("curl http://localhost:*", "curl http://localhost:3000/a", True),
        ("curl http://localhost:*", "curl http://localhost:3000@a.example", False),
        ("kubectl -n dev *", "kubectl -n dev get pods -o name", True),
        ("kubectl -n dev *", "kubectl -n dev logs -f web", True),
        ("kubectl -n dev *", "kubectl -n dev get pods -n prod", False),
        ("kubectl -n dev *", "kubectl -n dev --namespace=prod get pods", False),
        ("kubectl -n dev *", "kubectl -n dev delete pods -wA --all", False),
        ("kubectl get pods -n dev *", "kubectl get pods -n dev -nprod", False),
        ("kubectl *", "kubectl get pods -n prod", True),
        ("kubectl apply --dry-run=client *", "kubectl apply --dry-run=client -n dev", True),
        ("kubectl apply --dry-run=client *", "kubectl apply --dry-run=client --dry-run=none", False),
        ("helm -n dev *", "helm -n dev list -n prod", False),
        ("curl -X GET *", "curl -X GET a.example -sX DELETE", False),
        ("curl -X GET *", "curl -X GET a.example --request DELETE", False),
        ("curl *", "curl -sX DELETE a.example", True),
        ("jq *", "jq -s .import include.json", True),
        ("jq *", "jq --arg a b '.[] | select(.x == $a)' f", True),
        ("rsync *", "rsync -av --delete --exclude=x a/ b/", True),
        ("black *", "black --check .", True),
        ("tar *", "tar --check", False),
        ("make *", "make -j4 test", True),
        ("rm *", "rm -rf a*", True),
        ("mvn *", "mvn -q test -pl core", True),
        ("gradle *", "gradle test --info --tests a", True),
        ("./gradlew *", "./gradlew test --info --tests a", True),
        ("./mvnw *", "./mvnw -q test", True),
        ("sqlite3 app.db *", "sqlite3 app.db '.shell id'", False),
        ("sqlite3 app.db .tables", "sqlite3 app.db .tables", True),
        ("gem *", "gem install rails:7.1", True),
        ("apt-get *", "apt-get install -y jq=1.6", True),
        ("pip install -r *", "pip install -r ../requirements.txt", True),
        ("openssl *", "openssl x509 -in a -noout -text", True),
        ("terraform *", "terraform plan -no-color", True),
        ("aws s3 *", "aws s3 ls", True),
        ("aws *", "aws s3 ls", False),
        ("poetry *", "poetry install --no-root", True),
        ("go *", "go mod tidy -v", True),
        ("pip *", "pip install -U -r requirements.txt", True),
        ("uv *", "uv sync --all-extras", True),
        ("go *", "go test -run X -count=1 ./...", True),
        ("just *", "just test a/b", True),
        ("bazel *", "bazel test //a --test_output=all", True),
        ("cmake --build build *", "cmake --build build -j4", True),
        ("systemctl *", "systemctl status x", True),
        ("git *", "git tag -l", True),
    ],
)  # fmt: skip
def test_a_users_rule_is_their_word_for_all_but_what_it_does_not_name(rule: str, command: str, covers: bool) -> None:
    assert allowed(f"Shell({rule})", command) is covers


@pytest.mark.parametrize(
    ("pattern", "anything"),
    [
        ("docker exec *", True), ("docker exec web *", True), ("python *", True), ("bash *", True),
        ("npx *", True), ("*", True), ("p* *", True), ("p* --version", False), ("gi* *", False),
        ("uv run *", True), ("uv run python *", True), ("git -c *", True),
        ("python -c *", True), ("git bisect run *", True), ("npm exec *", True),
        ("ip netns exec *", True), ("tmux *", True), ("ip *", False),
        ("make *", False), ("git *", False), ("uv run pytest *", False), ("git -c a=b *", False), ("npm run *", False),
        ("python manage.py *", False), ("python -m pytest *", False), ("foo *", False), ("git status", False),
    ],
)  # fmt: skip
def test_a_rule_that_lets_any_program_run_is_known(pattern: str, anything: bool) -> None:
    assert allows_anything(shlex.split(pattern)) is anything


OPTION = st.one_of(
    st.from_regex(r"--[a-z]{2,12}(-[a-z]{2,8})?(=[a-z/]{0,5})?", fullmatch=True),
    st.from_regex(r"-[A-Za-z0-9]{1,3}", fullmatch=True),
)


@settings(max_examples=600, deadline=None)
@given(st.sampled_from([command for command in HARMLESS if command not in ("awk 1 a", "find . -name a")]), OPTION)
def test_an_option_that_is_not_in_a_table_is_never_covered(command: str, option: str) -> None:
    """A bundle is known by its first letter, the rest may be its value."""
    words = tuple(shlex.split(command))
    found = classify((*words, option))
    name = option.partition("=")[0]
    known = _listed(words)
    if found.level <= Level.HARMLESS:
        assert name in known or (not name.startswith("--") and (name[:2] in known or name[1:].isdigit()))
    assert found.level >= classify(words).level


def test_what_is_attached_to_an_option_that_is_not_known_may_be_a_file() -> None:
    assert ".env" in classify(("curl", "-sT.env", "a")).paths


def _listed(words: tuple[str, ...]) -> set[str]:
    """All options of the tables that these words go through."""
    found: set[str] = set()
    pending = [programs()[words[0]]] + [programs()[word] for word in words[1:] if word in programs()]
    while pending:
        program = pending.pop()
        pending.extend(program.subs[word] for word in words if word in program.subs)
        for word in f"{program.options.reads} {program.options.harmless}".split():
            name = word.rstrip("=:?")
            found.update([name] if name.startswith("--") else [f"-{one}" for one in name[1:]] + [name])
    return found | {f"-{one}" for one in "nErsuzel"} if words[0] == "sed" else found


@settings(max_examples=300, deadline=None)
@given(st.sampled_from(DANGEROUS), st.sampled_from(["-q", "--quiet", "-v", "-n", "--", "x", "a/b"]))
def test_another_word_after_a_danger_takes_nothing_away(command: str, word: str) -> None:
    try:
        words = tuple(shlex.split(command))
    except ValueError:
        return
    if classify(words).level is Level.DANGER:
        assert classify((*words, word)).level is Level.DANGER


@pytest.mark.parametrize(
    ("words", "level"),
    [
        ("get user.name", Level.READS),
        ("--get remote.origin.url", Level.READS),
        ("core.editor", Level.READS),
        ("--local --list", Level.READS),
        ("list --local", Level.READS),
        ("--list", Level.EXACT),
        ("get http.extraheader", Level.EXACT),
        ("get user.name x", Level.EXACT),
        ("--local core.editor x", Level.DANGER),
        ("--list -f x", Level.DANGER),
    ],
)
def test_git_shows_settings_unasked_if_they_are_the_repositorys_own_or_harmless(words: str, level: Level) -> None:
    assert classify(("git", "config", *words.split())).level is level
