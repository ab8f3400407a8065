/** A repository whose titles are German, Japanese, Chinese, Russian and Arabic: a planner for public transport. */
import { between, issue, pull, release, type Style } from './style.ts';

const steps = [
  pull(51, 'Behebt Absturz beim Öffnen leerer Fahrpläne', { by: 'juergen-h' }),
  pull(52, 'feat(karte): Haltestellen nach Entfernung sortieren', { by: 'juergen-h' }),
  pull(53, '検索結果を地図に表示する', { by: 'haruka', labels: ['enhancement'] }),
  pull(54, 'fix: `departure_board` の時刻が一時間ずれる問題を修正', { by: 'haruka', linkedIssues: [48] }),
  pull(55, '修复：导出 CSV 时乱码', { by: 'wenjing' }),
  pull(57, 'feat(通知): 支持按线路订阅提醒', { by: 'wenjing' }),
  pull(58, 'Исправить расчёт времени пересадки', { by: 'lev-k', labels: ['bug'] }),
  pull(59, 'fix(поиск): не терять `routeId` после обновления', { by: 'lev-k' }),
  pull(60, 'إصلاح اتجاه الأسهم في الخريطة', { by: 'salma', labels: ['type: fix'] }),
  pull(61, 'feat: دعم اللغة العربية في `ui/timetable`', { by: 'salma' }),
  pull(62, 'feat!: Mindestversion ist jetzt Android 12', {
    by: 'juergen-h',
    body: '## Migration\n\nÄltere Geräte bleiben auf Version 6. 新しいバージョンは配信されません。',
  }),
  pull(63, 'docs: ドキュメントの誤字を修正', { by: 'haruka' }),
  pull(64, 'ドキュメントの更新', { by: 'haruka' }),
];

export const languages: Style = {
  name: 'languages',
  memory: release('anschluss/umstieg', ['6.9', '7.0'], steps, {
    issues: [issue(48, '発車時刻が一時間早く表示されます', { author: { login: 'eki-fan', bot: false } })],
  }),
  bounds: between('6.9', '7.0'),
  breaking: ['pr:62'],
};
