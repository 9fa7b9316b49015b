import { boolean, group } from '../setting.js';

export const scriptingSettings = group('general/Scripting', {
  'application.scripting.js.wrapinmainfunction': boolean(false, 'JavaScript answers by an explicit return only', {
    notRead: true,
  }),
});
