"""What people who worked at the page were stopped by, point by point, and the browser tests that hold each."""

from dataclasses import dataclass
from typing import Final


@dataclass(frozen=True, slots=True)
class Point:
    """One point. `words`: what the page does; `tests`: those that hold it, as `file::test` in this folder."""

    words: str
    tests: tuple[str, ...]


POINTS: Final = (
    Point(
        "Points are told as points, and money in its currency",
        (
            "test_felt::test_points_are_no_money",
            "test_tournament::test_no_page_tells_points_as_money",
            "test_desk::test_money_is_of_the_houses_currency_as_the_language_writes_it",
        ),
    ),
    Point(
        "Every time is the table's own, with its offset, in one form",
        (
            "test_times::test_zone_and_clock_are_those_of_the_tables_file",
            "test_history::test_a_browser_elsewhere_tells_and_takes_the_times_of_the_table",
            "test_pit::test_a_table_is_a_link_to_its_own_page_and_its_times_are_those_of_its_clock",
        ),
    ),
    Point(
        "While play is stopped or a device is away, page and display say the cause and its remedy and order no card",
        (
            "test_band::test_while_play_is_stopped_no_screen_orders_a_card",
            "test_band::test_where_nine_devices_are_away_every_screen_says_that_and_orders_no_card",
            "test_simulated::test_a_pulled_cable_is_the_order_of_page_and_display_and_who_gets_up_leaves_none_out",
            "test_table::test_a_table_that_cannot_be_reached_is_not_shown_as_if_it_were_live",
        ),
    ),
    Point(
        "Each button says what it does; what cannot take effect yet is disabled, with why",
        (
            "test_buttons::test_every_button_says_what_it_does_and_what_cannot_be_is_disabled_with_why",
            "test_buttons::test_play_cannot_go_on_while_a_jam_stands_and_confirming_says_so",
        ),
    ),
    Point(
        "A decision acknowledges the alarm of its cause, and they are one line",
        (
            "test_buttons::test_a_decision_acknowledges_the_alarm_of_its_cause_which_then_escalates_no_more",
            "test_alarms::test_a_ruling_that_waits_is_told_on_every_page_and_leads_to_itself",
            "test_pit::test_a_ruling_and_its_alarm_are_one_line_with_the_decision",
        ),
    ),
    Point(
        "A flood is lines by cause and priority, with remedy and device; each is acknowledged, shelved and logged",
        (
            "test_alarms::test_two_hundred_alarms_are_lines_by_cause_and_the_button_stays_in_sight",
            "test_alarms::test_in_a_flood_at_a_table_that_waits_for_decisions_each_line_keeps_its_words",
            "test_alarms::test_one_alarm_of_a_group_is_acknowledged_alone_and_the_gravest_is_on_top",
            "test_alarms::test_an_alarm_says_its_priority_in_words_and_leads_to_its_device",
            "test_alarm_log::test_every_alarm_is_found_with_who_acknowledged_it_and_taken_away",
            "test_shelving::test_an_alarm_is_shelved_with_a_reason_shown_and_put_back",
            "test_pit::test_two_hundred_alarms_of_many_tables_are_lines_by_cause",
        ),
    ),
    Point(
        "A page that nobody touches watches on, read-only, and somebody signs in over it",
        (
            "test_left_alone::test_an_idle_page_watches_on_and_a_decision_asks_for_the_password",
            "test_left_alone::test_who_stays_read_only_has_decided_nothing",
        ),
    ),
    Point(
        "Everybody sees that devices are being tested",
        (
            "test_band::test_test_mode_is_told_on_every_page",
            "test_devices::test_test_mode_stops_play_at_once_and_a_second_browser_sees_it",
        ),
    ),
    Point(
        "The tournament's clock goes a minute or a level either way, pauses, and shows nothing empty",
        (
            "test_tournament::test_the_director_runs_the_clock_by_touch",
            "test_tournament::test_the_director_goes_a_level_on_and_back",
        ),
    ),
    Point(
        "A ruling leads to its own row of a rulebook that can be searched",
        (
            "test_table::test_a_ruling_opens_to_what_happened_and_its_clause",
            "test_table::test_a_rulebook_is_searched_and_its_heads_stay_in_sight",
        ),
    ),
    Point(
        "A replay opens at the ruling, with bets, pot, the fault and who was to act",
        (
            "test_history::test_a_round_opens_at_the_ruling_that_led_there",
            "test_history::test_a_replay_shows_the_dispute_bets_pot_who_was_to_act_and_the_fault",
            "test_history::test_a_replay_says_who_won_with_what_hand_in_words",
        ),
    ),
    Point(
        "The printed report proves itself, and each sheet says which it is",
        (
            "test_printed::test_every_sheet_of_a_report_says_what_it_belongs_to",
            "test_printed::test_every_sheet_of_a_german_report_has_its_number_in_german",
        ),
    ),
    Point(
        "State and order are read from a distance, and a wide screen is used to its edges",
        (
            "test_band::test_the_band_is_on_every_page_and_follows_the_table",
            "test_band::test_state_and_order_are_read_at_two_metres_and_the_whole_width_is_used",
            "test_band::test_the_wall_view_is_readable_at_four_metres",
            "test_pit_wall::test_all_tables_are_on_one_screen_readable_at_four_metres",
        ),
    ),
    Point(
        "The demonstration teaches: five mistakes, each held until read",
        (
            "test_tour::test_each_mistake_is_ruled_on_held_until_read_and_put_right",
            "test_german::test_the_simulated_table_and_its_tour_are_german_too",
        ),
    ),
    Point(
        "The felt is whole and legible in every game, and who only looks has no button that decides",
        (
            "test_felt::test_hands_of_a_full_table_do_not_overlap",
            "test_felt::test_wagers_of_a_full_table_lie_over_nothing",
            "test_felt::test_a_game_without_a_board_has_no_places_for_one",
            "test_felt::test_no_letter_of_the_felt_is_too_small_to_read",
            "test_felt::test_who_only_looks_sees_no_button_that_decides",
            "test_sizes::test_the_head_of_the_page_is_one_line_on_a_desk",
            "test_devices::test_a_lamp_is_tested_by_touch",
        ),
    ),
    Point(
        "By ear, by keyboard and by finger nothing is out of reach",
        (
            "test_felt::test_the_felt_is_told_in_words_and_on_a_phone_they_are_in_sight",
            "test_felt::test_of_steps_that_follow_each_other_the_last_is_said",
            "test_keys::test_a_question_mark_shows_the_keys_and_they_lead_to_the_main_jobs",
            "test_keys::test_skip_links_lead_past_the_head_of_the_page",
            "test_fit_for_all::test_a_page_is_fit_for_eye_finger_and_keyboard",
        ),
    ),
    Point(
        "German is whole, light and dark are chosen",
        (
            "test_german::test_every_page_draws_itself_in_german_and_a_person_may_choose",
            "test_sizes::test_every_page_fits_with_alarms_and_a_ruling_that_waits",
            "test_fit_for_all::test_a_look_is_chosen_kept_for_every_page_and_left_off_paper",
        ),
    ),
    Point(
        "A forgotten password has a way out, an own one is changed, and other browsers are signed out",
        (
            "test_fit_for_all::test_who_has_forgotten_a_password_is_told_what_to_do",
            "test_account::test_somebody_takes_another_password_and_goes_on",
            "test_account::test_somebody_signs_out_a_browser_that_they_left",
        ),
    ),
)
"""In the order in which they were met."""
