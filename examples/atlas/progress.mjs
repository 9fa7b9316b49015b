/** One line that fills up on a terminal; elsewhere (a pipe, a CI log) a plain line every tenth of the way. */

const WIDTH = 30;
const number = new Intl.NumberFormat('en');

export class Progress {
  #label;
  #total;
  #out;
  #done = 0;
  #tenths = 0;

  constructor(label, total, out = process.stdout) {
    this.#label = label;
    this.#total = total;
    this.#out = out;
    if (out.isTTY) this.#draw();
  }

  add(count) {
    this.#done += count;
    if (this.#out.isTTY) {
      this.#draw();
      return;
    }
    const tenths = Math.floor((this.#done / this.#total) * 10);
    if (tenths === this.#tenths) return;
    this.#tenths = tenths;
    this.#out.write(`${this.#label}: ${number.format(this.#done)} of ${number.format(this.#total)}\n`);
  }

  #draw() {
    const share = this.#total === 0 ? 1 : this.#done / this.#total;
    const full = Math.round(share * WIDTH);
    const bar = '█'.repeat(full) + '░'.repeat(WIDTH - full);
    const end = this.#done >= this.#total ? '\n' : '';
    this.#out.write(
      `\r${this.#label.padEnd(10)} ${bar} ${number.format(this.#done)} of ${number.format(this.#total)}${end}`,
    );
  }

  /** Ends an unfinished bar, so that what is printed next (an error) has a line of its own. */
  stop() {
    if (this.#out.isTTY && this.#done < this.#total) this.#out.write('\n');
  }
}
