/** What a sync takes a process of the bench, in milliseconds. */
import { serve } from '../child.js';
import { syncTime } from '../disk.js';

serve<string, number>((folder) => syncTime(folder));
