/** Lists changes to phone and desktop sync, by release. The texts are written by hand. */

import { type AreaContent, breaking, change, feature, fix, report, wish } from '../change.ts';

export const mobile: AreaContent = {
  area: 'mobile',
  changes: {
    'v1.0.0': [
      feature(
        'Back up the camera roll in the background',
        'The phone app sends new pictures while it charges and has Wi-Fi. Both conditions can be switched off.',
        { high: true },
      ),
      fix('Sign in to servers behind a sub-path', 'The app assumed the service at the root of the host.', {
        closes: [
          report('App cannot connect to example.com/photos', 'In the browser it works, the app says “not a server”.'),
        ],
      }),
      change('Ask for access to pictures only when it is needed', ''),
    ],
    'v1.1.0': [
      feature(
        'Free space on the phone safely',
        'Pictures are offered for removal only when the server has confirmed the hash of the original.',
        { closes: [wish('Remove pictures from the phone after backup', 'My phone is always full.')] },
      ),
      fix('Continue the backup after the phone was restarted', 'The background task was not registered again.', {
        closes: [report('Backup stops after a restart', 'I have to open the app once after each restart.')],
      }),
      feature('Show pictures without a connection', 'The last 500 pictures looked at are kept on the phone.'),
    ],
    'v1.2.0': [
      feature(
        'Choose which folders of the phone are backed up',
        'Screenshots and messenger folders are off at first.',
        { closes: [wish('Leave out screenshots', 'Half of my library is screenshots of train tickets.')] },
      ),
      fix('Use less battery while watching for new pictures', 'The app listened to every change of every file.', {
        labels: ['performance'],
      }),
    ],
    'v1.3.0': [
      feature(
        'Desktop client for Linux',
        'A small program that keeps one folder in step with the library. Packages for Debian, Fedora and as a single file.',
        {
          closes: [
            wish('Sync client for Linux', 'The desktop client exists for the other two. Please do not forget us.'),
          ],
          note: 'A sync client for Linux is available.',
        },
      ),
      fix(
        'Send pictures in the order they were taken',
        'The newest were sent first, so an interrupted backup left holes.',
      ),
      fix('Show the name of the server in notifications', 'People with two servers could not tell which one failed.'),
    ],
    'v2.0.0': [
      feature(
        'Edit captions and albums without a connection',
        'Changes made on the road are kept and sent later. When someone else changed the same caption, both are shown and you choose.',
        {
          closes: [wish('Write captions on the plane', 'That is when I have the time to do it.')],
          note: 'Write captions and sort albums on your phone without a connection.',
        },
      ),
      breaking(
        'End support for app versions before 1.9',
        'Older apps cannot send the content hash. The server tells them to update instead of failing.',
        'Update the phone apps to 1.9 or later before you update the server. Pictures that wait on an old app are not lost: they are sent after the update.',
        { note: 'Please update the phone app to version 1.9 or later.' },
      ),
      fix(
        'Do not upload edited pictures twice',
        'An edit on the phone changed the file date, which looked like a new picture.',
        { closes: [report('Edited pictures appear twice', 'Cropping a picture on the phone gives me two of it.')] },
      ),
      change('Follow the dark mode of the system', 'Adds a third setting beside light and dark.'),
    ],
    next: [fix('Keep the desktop client quiet during presentations', 'Uses the do-not-disturb state of the system.')],
  },
};
