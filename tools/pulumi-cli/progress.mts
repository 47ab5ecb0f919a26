/** How far a build by Go is, as the lines show that Go writes to standard error. */
export class BuildProgress {
  readonly #what: string;
  #downloaded = 0;
  #compiled = 0;
  #total: number | undefined;

  /** @param what What is built, for the text. */
  constructor(what: string) {
    this.#what = what;
  }

  /** Packages that Go has to compile. Those in its build cache are not among them. */
  set total(count: number) {
    this.#total = count;
  }

  /** Takes a line of `go list` or `go build -v`. */
  note(line: string): void {
    if (/^go: downloading \S/.test(line)) {
      this.#downloaded += 1;
    } else if (isPackage(line)) {
      this.#compiled += 1;
    }
  }

  toString(): string {
    if (this.#total === undefined) {
      return this.#downloaded === 0
        ? `looking at what ${this.#what} consists of`
        : `downloading the source of ${this.#what}, modules so far: ${this.#downloaded}`;
    }
    // Go compiles a little more than it lists where its cache has only a part of a package.
    const total = Math.max(this.#total, this.#compiled);
    if (this.#compiled === total) return `linking ${this.#what}, all packages are compiled`;
    return `compiled ${grouped(this.#compiled)} of ${grouped(total)} packages of ${this.#what}`;
  }
}

/** `go build -v` writes an import path alone on a line; errors have a space or start with `#`. */
function isPackage(line: string): boolean {
  return /^[^\s#:]+$/.test(line);
}

function grouped(count: number): string {
  return count.toLocaleString("en");
}
