/** Reads the changelog for the loop. */
import { scan, type Portion, type ScanJob } from '../../main/events/changelog/files/scan.js';

export default function read(job: ScanJob): Portion {
  return scan(job);
}
