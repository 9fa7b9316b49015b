#!/usr/bin/env bash
# A real Neo4j (Community) for tests, on loopback, with data that live as long as it runs.
#
#   neo4j.sh start   starts it, or finds the running one; the last line of stdout is NEO4J_URL=bolt://127.0.0.1:PORT
#   neo4j.sh stop    ends it and removes its data; harmless when nothing runs
#
# NEO4J_PASSWORD   password of the user neo4j, at least 8 characters (svc-test-secret)
# NEO4J_MORE_CONF  further lines of neo4j.conf, which hold from a second start of the server on
# XDG_CACHE_HOME   the jars are kept in svc-neo4j/<version> in it (~/.cache)
# TMPDIR           holds data and pid file (/tmp); each TMPDIR has a server of its own
#
# Exit codes: 3 where Maven or Java 17 is missing, 1 for any other failure. Linux only (/proc).
set -euo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)/neo4j
tmp=${TMPDIR:-/tmp}
state=$tmp/svc-neo4j-$UID # pid, folder, answer (what start printed), lock
password=${NEO4J_PASSWORD:-svc-test-secret}
java=${JAVA_HOME:+$JAVA_HOME/bin/}java
patience=120 # seconds; a busy machine with two processors needs about 15

missing() {
  echo "neo4j.sh: $1" >&2
  exit 3
}

need_java() {
  local major
  major=$("$java" -version 2>&1 | sed -n 's/.* version "\([0-9]*\).*/\1/p') || true
  [ "${major:-0}" -ge 17 ] || missing "Java 17 or newer is missing (apt-get install openjdk-17-jre-headless)"
}

# Sets `lib`. The marker is a copy of pom.xml, written last: half a download has none, one of another pom.xml differs.
need_jars() {
  local version cache
  version=$(sed -n 's:.*<neo4j.version>\(.*\)</neo4j.version>.*:\1:p' "$here/pom.xml")
  cache=${XDG_CACHE_HOME:-$HOME/.cache}/svc-neo4j/$version
  lib=$cache/lib
  mkdir -p "$cache"
  exec 8>"$cache/lock"
  flock 8 # others may download the same with another TMPDIR
  if ! cmp -s "$here/pom.xml" "$cache/complete"; then
    command -v mvn >/dev/null || missing "Maven is missing (apt-get install maven)"
    echo "downloading Neo4j $version into $cache"
    rm -rf "$lib" "$cache/complete"
    mvn --batch-mode --strict-checksums --file "$here/pom.xml" dependency:copy-dependencies \
      "-DoutputDirectory=$lib" >"$log" 2>&1 8>&- 9>&-
    cp "$here/pom.xml" "$cache/complete.new"
    mv "$cache/complete.new" "$cache/complete"
  fi
  exec 8>&-
}

# The process of the pid file; its command line tells it from a later one with the same number.
running() {
  [ -s "$state/pid" ] && grep -qsaF -- "--home-dir=$(cat "$state/folder")" "/proc/$(cat "$state/pid")/cmdline"
}

# The data are not kept, so it need not shut down, which takes seconds.
end() {
  if running; then
    kill -9 "$(cat "$state/pid")" || true
    while running; do sleep 0.05; done
  fi
  if [ -s "$state/folder" ]; then rm -rf "$(cat "$state/folder")"; fi
  rm -f "$state/pid" "$state/folder" "$state/answer"
}

# The port the process listens on; Neo4j's logs say 0 where the kernel chose.
port_of() {
  local sockets
  sockets=$(find "/proc/$1/fd" -lname 'socket:*' -printf '%l ' 2>/dev/null | tr -dc '0-9 ') || true
  awk -v sockets="$sockets" '
    BEGIN { split(sockets, list); for (i in list) ours[list[i]] }
    $4 == "0A" && $10 in ours { n = split($2, address, ":"); print address[n]; exit }
  ' /proc/net/tcp /proc/net/tcp6 2>/dev/null | { read -r hex && echo $((16#$hex)); }
}

# Bolt's handshake, offering 5.0 to 5.4 and 4.4: a server that is ready picks one, four zero bytes mean none.
bolt_answers() {
  local reply
  reply=$(
    exec 3<>"/dev/tcp/127.0.0.1/$1"
    printf '\x60\x60\xb0\x17\0\x04\x04\x05\0\0\x04\x04\0\0\0\0\0\0\0\0' >&3
    timeout 5 head -c 4 <&3 | od -An -tx1
  ) 2>/dev/null || return 1
  [[ $reply == ' 00 00 '*' 05' || $reply == ' 00 00 '*' 04' ]]
}

failed() {
  local code=$1
  trap - EXIT
  if [ "$code" -ne 3 ]; then
    echo "neo4j.sh: the server did not start; the end of its log:" >&2
    tail -n 30 "$log" >&2 || true
    code=1
  fi
  end
  exit "$code"
}

# Starts the process in `folder`, sets `pid` and `port`, returns once it answers.
boot() {
  # The quick compiler and the simple collector: seconds less until it answers, and room for others on two processors.
  # That compiler alone is given so little room for code that a thread always looks for what may go.
  # UTF-8, the opened packages and netty's switch are what Neo4j's own start script sets.
  setsid nohup "$java" -Xms128m -Xmx512m -XX:TieredStopAtLevel=1 -XX:ReservedCodeCacheSize=240m -XX:+UseSerialGC -XX:-UsePerfData \
    -Dfile.encoding=UTF-8 "-Djava.io.tmpdir=$folder/tmp" -Dlog4j2.disable.jmx=true \
    --add-opens=java.base/java.nio=ALL-UNNAMED --add-opens=java.base/java.io=ALL-UNNAMED \
    --add-opens=java.base/sun.nio.ch=ALL-UNNAMED -Dio.netty.tryReflectionSetAccessible=true \
    -cp "$lib/*" org.neo4j.server.CommunityEntryPoint --console-mode \
    "--home-dir=$folder" "--config-dir=$folder/conf" </dev/null >>"$log" 2>&1 9>&- &
  pid=$!
  disown # no word of the shell when it is killed
  echo "$pid" >"$state/pid"

  local deadline=$((SECONDS + patience))
  until port=$(port_of "$pid") && bolt_answers "$port"; do
    kill -0 "$pid" 2>/dev/null && [ "$SECONDS" -lt "$deadline" ] || exit 1
    sleep 0.1
  done
}

start() {
  local folder pid port
  if running && [ -s "$state/answer" ]; then
    cat "$state/answer"
    return
  fi
  end # what a killed server or an interrupted start left
  folder=$(mktemp -d "$tmp/svc-neo4j-data.XXXXXX")
  echo "$folder" >"$state/folder"
  mkdir "$folder/conf" "$folder/logs" "$folder/tmp"
  log=$folder/logs/console.log
  trap 'failed $?' EXIT
  need_java
  need_jars

  cp "$here/neo4j.conf" "$folder/conf/"
  NEO4J_HOME=$folder NEO4J_CONF=$folder/conf "$java" -XX:TieredStopAtLevel=1 -Xmx128m -cp "$lib/*" \
    org.neo4j.cli.AdminTool dbms set-initial-password -- "$password" >"$log" 2>&1

  boot
  if [ -n "${NEO4J_MORE_CONF:-}" ]; then
    # Not at first: a database that is read-only from the beginning would never be made.
    kill "$pid"
    while kill -0 "$pid" 2>/dev/null; do sleep 0.05; done
    printf '%s\n' "$NEO4J_MORE_CONF" >>"$folder/conf/neo4j.conf"
    boot
  fi

  printf '%s\n' "NEO4J_USER=neo4j" "NEO4J_PASSWORD=$password" "NEO4J_FOLDER=$folder" \
    "NEO4J_URL=bolt://127.0.0.1:$port" >"$state/answer.new"
  mv "$state/answer.new" "$state/answer"
  cat "$state/answer"
  trap - EXIT
}

case ${1:-} in
  start | stop) ;;
  *)
    echo "usage: neo4j.sh start|stop" >&2
    exit 1
    ;;
esac

# Below /tmp anybody may have made a folder of this name first.
(umask 077 && mkdir -p "$state")
if [ ! -O "$state" ] || [ -L "$state" ]; then
  echo "neo4j.sh: $state belongs to somebody else" >&2
  exit 1
fi
exec 9>"$state/lock"
flock 9
if [ "$1" = start ]; then start; else end; fi
