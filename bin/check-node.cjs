/*
 * Run before the dependencies are installed, and by the launcher: is this Node new enough? Written for any Node there
 * ever was, because an old one has to get as far as the message. As a script it also tells what is missing for building
 * native packages on Node 20; that is a hint only, for there usually are ready-made binaries.
 */
'use strict';

/* The first minor versions that load ECMAScript modules by `require`, which the bundled server does (bundle.js). */
var FIRST_MINOR = { 20: 19, 22: 12 };

/** One line on what is wrong with a version of Node ("20.19.0"), or null. */
function nodeProblem(version) {
  var parts = String(version).split('.');
  var major = parseInt(parts[0], 10);
  var minor = parseInt(parts[1], 10);
  // What cannot be read is not refused: a check must not be wrong.
  if (isNaN(major) || isNaN(minor)) return null;
  if (major > 23 || minor >= FIRST_MINOR[major]) return null;
  return (
    'svc needs Node 24 or newer, or of Node 22 at least 22.12, of Node 20 at least 20.19, and this is ' +
    version +
    ': install a newer one from https://nodejs.org or with your version manager.'
  );
}

/** One line on the tools for building native packages that are missing, or null. `path` is the variable PATH, `node` a version. */
function toolchainHint(path, platform, node) {
  if (platform !== 'linux' && platform !== 'darwin') return null;
  /* Binaries for newer ones are in the packages. */
  if (parseInt(node, 10) !== 20) return null;
  var fs = require('fs');
  var folders = String(path || '').split(':');
  function has(names) {
    return names.some(function (name) {
      return folders.some(function (folder) {
        return folder !== '' && fs.existsSync(folder + '/' + name);
      });
    });
  }
  var missing = [];
  if (!has(['c++', 'g++', 'clang++'])) missing.push('a C++ compiler');
  if (!has(['make', 'gmake'])) missing.push('make');
  if (!has(['python3', 'python'])) missing.push('Python 3');
  if (missing.length === 0) return null;
  return (
    'note: on Node 20 better-sqlite3 and isolated-vm are built here unless their ready-made binaries can be downloaded, and ' +
    missing.join(', ') +
    ' would be missing' +
    (platform === 'linux'
      ? ' (Debian, Ubuntu: apt-get install build-essential python3).'
      : ' (xcode-select --install).')
  );
}

module.exports = { nodeProblem: nodeProblem, toolchainHint: toolchainHint };

if (require.main === module) {
  var problem = nodeProblem(process.versions.node);
  if (problem !== null) {
    console.error(problem);
    process.exit(1);
  }
  try {
    var hint = toolchainHint(process.env.PATH, process.platform, process.versions.node);
    if (hint !== null) console.error(hint);
  } catch (error) {
    // Only a hint.
  }
}
