/**
 * Makes a Debian package of a release: `node packaging/debian.js RELEASE.tgz [FOLDER]` (RELEASE.tgz: what `npm run release` has made, or a folder that it is installed in). It stands in
 * FOLDER, by default beside the release. Native packages are those of this machine's Node and architecture.
 *
 *   /usr/lib/svc/app        the program
 *   /usr/lib/svc/svc.conf   settings, made at the first installation and kept; database and files lie beside it
 *   /usr/bin/svc            the command
 *   /lib/systemd/system     the unit
 */
import { execFileSync } from 'node:child_process';
import { chmodSync, cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';

const ARCHITECTURES = { x64: 'amd64', arm64: 'arm64' };

const [release, target = dirname(resolve(release ?? '.'))] = process.argv.slice(2);
const architecture = ARCHITECTURES[process.arch];
if (release === undefined || architecture === undefined) {
  console.error(release === undefined ? 'say which release' : `there is no package for ${process.arch}`);
  process.exit(1);
}
const scratch = mkdtempSync(join(tmpdir(), 'svc-debian-'));
try {
  const run = (command, args, cwd) => execFileSync(command, args, { cwd, encoding: 'utf8', maxBuffer: 1 << 26 });
  const place = statSync(release).isDirectory() ? resolve(release) : join(scratch, 'place');
  if (place !== resolve(release)) {
    mkdirSync(place);
    writeFileSync(join(place, 'package.json'), '{"private":true}');
    run('npm', ['install', '--omit=dev', '--no-audit', '--no-fund', resolve(release)], place);
  }
  const own = JSON.parse(readFileSync(join(import.meta.dirname, '../package.json'), 'utf8'));
  const { name, version } = JSON.parse(readFileSync(join(place, 'node_modules', own.name, 'package.json'), 'utf8'));

  const root = join(scratch, 'root');
  const put = (path, text, mode = 0o644) => {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), text);
    chmodSync(join(root, path), mode);
  };
  // The program finds its packages above it, as npm has laid them.
  cpSync(join(place, 'node_modules'), join(root, 'usr/lib/svc/node_modules'), {
    recursive: true,
    verbatimSymlinks: true,
  });
  cpSync(join(root, 'usr/lib/svc/node_modules', name), join(root, 'usr/lib/svc/app'), { recursive: true });
  rmSync(join(root, 'usr/lib/svc/node_modules', name), { recursive: true });
  put('usr/bin/svc', '#!/bin/sh\nexec node /usr/lib/svc/app/bin/svc.js "$@"\n', 0o755);
  put('lib/systemd/system/svc.service', readFileSync(join(import.meta.dirname, 'svc.service')));
  put(
    'DEBIAN/control',
    [
      'Package: svc',
      `Version: ${version}`,
      `Architecture: ${architecture}`,
      'Maintainer: the authors of svc',
      'Depends: nodejs (>= 22.12), adduser',
      'Recommends: ffmpeg',
      'Section: web',
      'Priority: optional',
      'Description: application platform on a graph database',
      ' Typed objects and relationships over REST, users and permissions, files, scripts, pages.',
      '',
    ].join('\n'),
  );
  put(
    'DEBIAN/postinst',
    `#!/bin/sh
set -e
if [ "$1" = configure ]; then
  adduser --system --group --home /usr/lib/svc --no-create-home svc
  # Settings and data are the server's own; the program is not.
  chown svc:svc /usr/lib/svc
  if [ -d /run/systemd/system ]; then
    systemctl daemon-reload
    systemctl enable svc.service
    systemctl restart svc.service
  fi
fi
`,
    0o755,
  );
  put(
    'DEBIAN/prerm',
    `#!/bin/sh
set -e
if [ -d /run/systemd/system ] && [ "$1" = remove ]; then
  systemctl disable --now svc.service
fi
`,
    0o755,
  );
  const file = join(resolve(target), `svc_${version}_${architecture}.deb`);
  run('dpkg-deb', ['--build', '--root-owner-group', '-Zgzip', '-z6', root, file], scratch);
  console.log(file);
} finally {
  rmSync(scratch, { recursive: true, force: true });
}
