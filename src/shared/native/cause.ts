/** Why a package with a binary does not load, in words for who runs the server. */

/** What decides which binaries load. */
export interface Runtime {
  /** Version of Node: `24.1.0`. */
  readonly node: string;
  /** Number of Node's binary interface (NODE_MODULE_VERSION): `137`. */
  readonly abi: string;
  readonly platform: string;
  readonly arch: string;
  /** Version of glibc; undefined: another C library. Takes some milliseconds. */
  readonly glibc: () => string | undefined;
}

export function thisRuntime(): Runtime {
  const { platform, arch, versions } = process;
  return { node: versions.node, abi: versions.modules, platform, arch, glibc: glibcVersion };
}

function glibcVersion(): string | undefined {
  const report = process.report as NodeJS.ProcessReport & { excludeNetwork?: boolean };
  // It would ask for the names of all addresses.
  const before = report.excludeNetwork;
  report.excludeNetwork = true;
  const { header } = report.getReport() as unknown as { header: { glibcVersionRuntime?: string } };
  report.excludeNetwork = before ?? false;
  return header.glibcVersionRuntime;
}

const AGAIN = 'run `npm ci` with this Node';
const BUILDING = 'building needs a C++ compiler, make and Python 3';

/** One line: the cause, and what to do. `installed`: the name the package is looked for under. */
export function causeOf(name: string, installed: string, error: unknown, runtime: Runtime): string {
  const { node, abi, platform, arch, glibc } = runtime;
  const text = allMessages(error);
  const needed = newest(text, /GLIBC_([\d.]+)/g);
  if (needed !== undefined) {
    return (
      `its binary needs glibc ${needed}, and this system has ${glibc() ?? 'another'}; use a newer system ` +
      '(Debian 13, Ubuntu 24.04), or Node 20, whose binaries need the least, then `npm ci`.'
    );
  }
  if (/GLIBCXX_|CXXABI_/.test(text)) {
    return 'its binary needs a newer libstdc++ than this system has; use a newer system (Debian 13, Ubuntu 24.04).';
  }
  if (isMissing(text, installed)) {
    return `the package ${installed} is not installed, or could not be built when it was; ${AGAIN} (${BUILDING}).`;
  }
  const built = /NODE_MODULE_VERSION (\d+)/.exec(text)?.[1];
  if (built !== undefined && built !== abi) {
    return `it was built for another Node (NODE_MODULE_VERSION ${built}, this one has ${abi}); ${AGAIN} (${BUILDING}).`;
  }
  if (platform === 'linux' && glibc() === undefined) {
    return `this system's C library is not glibc (musl, as in Alpine), for which it has no binary; use an image with glibc, or ${AGAIN}.`;
  }
  if (/Cannot find module|MODULE_NOT_FOUND|native binding|Could not locate the bindings|No native build/.test(text)) {
    const major = node.split('.', 1)[0] ?? node;
    return `it has no binary for Node ${major} on ${platform} ${arch}; use Node 20, 22 or 24, or ${AGAIN} (${BUILDING}).`;
  }
  if (/ERR_DLOPEN_FAILED|cannot open shared object/.test(text)) {
    return `its binary cannot be opened (${firstLine(text)}); ${AGAIN}.`;
  }
  return `${AGAIN}; the reason was: ${firstLine(text)}`;
}

/** The package itself is not found, rather than a file in it. */
function isMissing(text: string, installed: string): boolean {
  return text.includes(`Cannot find module '${installed}'`) || text.includes(`Cannot find package '${installed}'`);
}

/** The newest of the versions that a pattern finds. */
function newest(text: string, pattern: RegExp): string | undefined {
  const found = [...text.matchAll(pattern)].map((match) => match[1] ?? '');
  return found.sort((a, b) => a.localeCompare(b, 'en', { numeric: true })).at(-1);
}

function firstLine(text: string): string {
  return (text.split('\n', 1)[0] ?? '').trim().slice(0, 300);
}

/** The messages and codes of an error and of what caused it. */
function allMessages(error: unknown): string {
  const texts: string[] = [];
  for (let cause = error; cause instanceof Error && texts.length < 20; cause = cause.cause) {
    texts.push(`${cause.message} ${'code' in cause ? String(cause.code) : ''}`);
  }
  return texts.length === 0 ? String(error) : texts.join('\n');
}
