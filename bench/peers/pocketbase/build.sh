#!/bin/sh
# Builds PocketBase for case 26 of the bench: build.sh PROGRAM. Packages come from the Go module proxy alone.
# Exits with 3 where Go is missing or the proxy does not answer; one line says so.
set -eu
program=$1
folder=$(cd "$(dirname "$0")" && pwd)
PATH=$PATH:/usr/local/go/bin
case $program in /*) ;; *) program=$PWD/$program ;; esac
cd "$folder"
command -v go >/dev/null || { echo 'Go is not installed' >&2; exit 3; }
export GOFLAGS=-mod=readonly GOTOOLCHAIN=local GOPROXY=https://proxy.golang.org CGO_ENABLED=0
timeout 180 go mod download >/dev/null 2>&1 || { echo 'the Go module proxy does not answer with the packages of go.mod' >&2; exit 3; }
go build -buildvcs=false -trimpath -ldflags '-s -w' -o "$program" .
